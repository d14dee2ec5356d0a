// Owns what the parts of a run give up once they are set up, so that one that was taken over reaches nothing else:
//
//   the plant's stepping thread   every system call but sleeping, waking, memory and its own end
//   the process of io             other programs and processes, and all that needs privileges
//
// A call that was given up fails with EPERM; nobody is killed for it. Where the kernel has no filters, and under
// sanitizers, which make calls of their own, the filters are left out.
#pragma once

namespace kinloop::run {

/// The calling thread only: others of its process load files. Returns whether it holds.
bool confine_plant_thread();

/// The whole process, before it starts threads. Returns whether it holds.
bool confine_io();

}  // namespace kinloop::run
