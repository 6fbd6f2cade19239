/*
 * ONNX Runtime as a driver, for C: the table of driver.h whose devices are ort:0, ort:1, ... (kDLExtDev).
 *
 * MEMORY, streams and events are those of the physical device's driver: ort owns no memory of its own kind.
 *
 * OPERATORS are made from a serialised ONNX model (operator_format "onnx"), or, without code, from the name of an ONNX
 * operator, "Op" or "domain::Op", whose attributes are the source's options: "axis=1;alpha=0.5;perm=[1,0];mode=linear"
 * gives an integer, a number, a list and a text; "outputs=2" says that the operator has two, where one is the default.
 *
 * LAUNCHES take the input tensors, on the ort device or on its physical one, and behind them the outputs, row-major and
 * of the right dtype and shape. An argument without a tensor leaves an optional input out. The grid is ignored. A
 * launch waits for the stream that it is given, and is done when it returns.
 */
#ifndef DLPORT_ORT_H_
#define DLPORT_ORT_H_

#include "dlport/driver.h"
#include "dlport/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table, which lives as long as the process. ONNX Runtime is opened by its first use: device_count gives
 * DLPORT_NOT_FOUND where there is none. */
DLPORT_API const dlport_driver* dlport_ort_driver(void);

#ifdef __cplusplus
}
#endif
#endif /* DLPORT_ORT_H_ */
