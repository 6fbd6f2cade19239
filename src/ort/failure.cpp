// What ONNX Runtime says when a call fails.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "dlport/error.hpp"
#include "ort/api.hpp"

namespace dlport::ort {
namespace {

/// Damaged models make names, and so messages, that are no UTF-8; readers of errors may insist on it.
std::string readable(std::string text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : 0;
    bool valid = length > 0 && i + length <= text.size();
    for (size_t k = 1; valid && k < length; ++k) valid = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
    if (!valid) text[i] = '?';
    i += valid ? length : 1;
  }
  return text;
}

/// The end of the function that is named from `begin` on: a bare name, or behind a full path a whole signature, whose
/// arguments may hold spaces. npos where nothing follows it.
size_t function_end(std::string_view text, size_t begin, bool whole) {
  int depth = 0;
  bool closed = false;
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '<') ++depth;
    if (text[i] == ')' || text[i] == '>') --depth;
    closed |= text[i] == ')' && depth == 0;
    if (text[i] == ' ' && depth == 0 && (closed || !whole)) {
      for (const std::string_view more : {" const ", " [with "}) {
        if (!closed || !text.substr(i).starts_with(more)) continue;
        i = more == " const " ? i + 6 : std::min(text.find(']', i), text.size() - 1) + 1;
      }
      return i;
    }
  }
  return std::string_view::npos;
}

/// Drops each place in ONNX Runtime's own source, "file.cc:12 function ", which tells its authors something and others
/// nothing.
std::string without_places(std::string text) {
  for (const std::string_view suffix : {".cc:", ".h:"}) {
    for (size_t dot = 0; (dot = text.find(suffix, dot)) != std::string::npos;) {
      size_t begin = dot, end = dot + suffix.size();
      while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '_' ||
                           text[begin - 1] == '/' || text[begin - 1] == '-')) {
        --begin;
      }
      const size_t digits = end;
      while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
      const bool place = begin < dot && digits < end && end < text.size() && text[end] == ' ';
      const size_t words = place ? function_end(text, end + 1, text[begin] == '/') : std::string::npos;
      if (words == std::string::npos) {
        dot = end;
        continue;
      }
      const bool glued = begin > 0 && text[begin - 1] != ' ';
      text.replace(begin, words + 1 - begin, glued ? " " : "");
      dot = begin;
    }
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

ErrorCode error_code(int32_t code) {
  switch (code) {  // OrtErrorCode
    case 2:
      return ErrorCode::invalid_argument;
    case 3:
      return ErrorCode::not_found;
    case 9:
      return ErrorCode::unsupported;
    default:
      return ErrorCode::device;
  }
}

}  // namespace

Failure read_failure(OrtStatus* status) {
  std::string text = readable(api::GetErrorMessage(status));
  Failure result{api::GetErrorCode(status), text, without_places(text)};
  api::ReleaseStatus(status);
  return result;
}

void fail(OrtStatus* status, const char* doing) {
  const Failure failed = read_failure(status);
  throw Error(error_code(failed.code), std::string(doing) + ": " + failed.reason, failed.text);
}

}  // namespace dlport::ort
