/* Marks what the shared library `libdlport` exports. */
#ifndef DLPORT_EXPORT_H_
#define DLPORT_EXPORT_H_

#define DLPORT_API __attribute__((visibility("default")))

#endif  // DLPORT_EXPORT_H_
