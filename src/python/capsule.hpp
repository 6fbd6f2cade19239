// DLPack capsules: their names, and who owns what is inside.
#pragma once

#include <Python.h>

#include "dlport/dlpack.h"
#include "python/errors.hpp"

namespace dlport::python {

/// What capsules of a managed tensor are called, before and after a consumer has taken it over.
template <class Managed>
struct CapsuleNames;

template <>
struct CapsuleNames<DLManagedTensorVersioned> {
  static constexpr const char* fresh = "dltensor_versioned";
  static constexpr const char* used = "used_dltensor_versioned";
};

template <>
struct CapsuleNames<DLManagedTensor> {
  static constexpr const char* fresh = "dltensor";
  static constexpr const char* used = "used_dltensor";
};

/// Puts `managed` into a capsule that calls its deleter unless a consumer takes it over. New reference; throws.
template <class Managed>
PyObject* make_capsule(Managed* managed) {
  auto drop = [](PyObject* capsule) {
    if (!PyCapsule_IsValid(capsule, CapsuleNames<Managed>::fresh)) return;  // consumed: the consumer calls the deleter
    auto* unused = static_cast<Managed*>(PyCapsule_GetPointer(capsule, CapsuleNames<Managed>::fresh));
    unused->deleter(unused);
  };
  PyObject* capsule = PyCapsule_New(managed, CapsuleNames<Managed>::fresh, drop);
  if (!capsule) {
    managed->deleter(managed);
    throw PythonError{};
  }
  return capsule;
}

/// Takes over what a fresh capsule holds and marks it as used; null for any other capsule.
template <class Managed>
Managed* take_over(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, CapsuleNames<Managed>::fresh)) return nullptr;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, CapsuleNames<Managed>::fresh));
  PyCapsule_SetName(capsule, CapsuleNames<Managed>::used);
  PyCapsule_SetDestructor(capsule, nullptr);
  return managed;
}

}  // namespace dlport::python
