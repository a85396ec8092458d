#!/bin/sh
# Runs node so that freed memory goes back to the system. glibc otherwise keeps what large requests have used for as long as the process
# runs, because small blocks that are still in use lie between. From 16 KiB on, blocks are now mapped one by one: what a socket reads
# and what is decompressed. These settings can only be given before a program starts. Dockerfile has the same ones.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
export MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_:-16384}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_:-1048576}"
exec node "$@"
