import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'

/** The two implementations of volumes; the second one requires root. */
export const mountModes = ['paths', 'namespace'] as const

type MountMode = (typeof mountModes)[number]

const mayMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('/usr/bin/unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0

/** The reason why a mode cannot be tested here. */
export function unavailable(mode: MountMode): string | undefined {
  return mode === 'namespace' && !mayMount
    ? 'SKIPPED: this user may make no mounts of his own, so real mounts are not tested'
    : undefined
}
