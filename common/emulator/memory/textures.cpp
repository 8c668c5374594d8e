#include "emulator/memory/textures.hpp"

#include <mutex>

namespace emulator::memory {
namespace {

/// Handles are neither addresses nor small numbers, which an invalid handle could equal by chance.
constexpr std::uint64_t first_handle = 0x0600'0000'0000'0001u;

}  // namespace

std::uint64_t texture_objects::add(const texture_object& made) {
  const std::unique_lock lock(mutex_);
  const std::uint64_t handle = first_handle + made_++;
  objects_.emplace(handle, std::make_shared<const texture_object>(made));
  return handle;
}

bool texture_objects::destroy(std::uint64_t handle, bool is_surface) {
  const std::unique_lock lock(mutex_);
  const auto found = objects_.find(handle);
  if (found == objects_.end() || found->second->is_surface != is_surface) return false;
  objects_.erase(found);
  return true;
}

std::shared_ptr<const texture_object> texture_objects::find(std::uint64_t handle) const {
  const std::shared_lock lock(mutex_);
  const auto found = objects_.find(handle);
  return found == objects_.end() ? nullptr : found->second;
}

bool texture_objects::was_one(std::uint64_t handle) const {
  const std::shared_lock lock(mutex_);
  return handle >= first_handle && handle - first_handle < made_;
}

}  // namespace emulator::memory
