import { lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { EscapeError, makeInside, segmentsOf } from '../folder/inside.ts'
import { ConfigError } from '../pod-config/config-error.ts'
import type { ResolvedMount } from './resolve-mounts.ts'

/** A path of the container, with everything below it, and its path on this machine. */
export interface PathMapping {
  readonly from: string
  readonly to: string
}

/** Folders that programs share with the machine. Below them only mounts are private to the container. */
const shared = new Set(
  'bin boot dev etc home lib lib32 lib64 libx32 media mnt nix opt private proc root run sbin srv sys tmp usr var Applications Library System Users Volumes'.split(
    ' ',
  ),
)

/**
 * Processes see the file system of the machine, so a mount at `/workspace` does not exist for them. It is linked into
 * the container's root folder instead, and paths in the container's command and variables are rewritten. A mount at
 * `/workspace/run.json` makes all of `/workspace` private to the container, one at `/etc/tool.conf` only that file.
 */
export async function linkMounts(
  root: string,
  mounts: readonly ResolvedMount[],
  allowed: readonly string[],
): Promise<PathMapping[]> {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const froms = new Set<string>()
  for (const mount of mounts) {
    await link(root, mount, [root, ...allowed])
    froms.add(ownPath(mount.mountPath))
  }
  return longestFirst([...froms].map((from) => ({ from, to: join(root, from) })))
}

export function ownPath(mountPath: string): string {
  const [top = ''] = mountPath.slice(1).split('/')
  return shared.has(top) ? mountPath : `/${top}`
}

function longestFirst(mappings: readonly PathMapping[]): PathMapping[] {
  return mappings.toSorted((a, b) => b.from.length - a.from.length)
}

async function link(
  root: string,
  { mountPath, source }: ResolvedMount,
  allowed: readonly string[],
): Promise<void> {
  const segments = segmentsOf(mountPath.slice(1))
  const name = segments.pop() ?? ''
  const folder = await makeInside(root, segments, allowed)
  const path = join(folder, name)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found !== undefined) {
    if (!found.isSymbolicLink()) {
      throw new ConfigError(`a volume cannot be mounted at ${mountPath}: the path already exists`)
    }
    if (readlinkSync(path) === source) return
    rmSync(path)
  }
  symlinkSync(source, path)
}

/** Rewrites paths of the container to paths on this machine, anywhere in a text. */
export function pathRewriter(mappings: readonly PathMapping[]): (text: string) => string {
  if (mappings.length === 0) return (text) => text
  const toOf = new Map(mappings.map(({ from, to }) => [from, to]))
  const froms = longestFirst(mappings).map(({ from }) =>
    from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  // Matches `/workspace`, `--file=/workspace/x`, `a:/workspace/bin`, `cat '/workspace/x'`, but not `/workspace2` or
  // `/my/workspace`.
  const pattern = new RegExp(
    `(?<=^|[\\s"'\`=:,;()<>|&{\\[@])(?:${froms.join('|')})(?=$|[/\\s"'\`=:,;()<>|&}\\]]|\\.(?:\\s|$))`,
    'g',
  )
  return (text) => text.replace(pattern, (from) => toOf.get(from) ?? from)
}

/** The path on this machine, if it is private to the container. */
export function mapped(path: string, mappings: readonly PathMapping[]): string | undefined {
  for (const { from, to } of longestFirst(mappings)) {
    if (path === from) return to
    if (!path.startsWith(`${from}/`)) continue
    const rest = path.slice(from.length + 1)
    if (rest.split('/').includes('..')) throw new EscapeError(`path ${path} must not contain ..`)
    return join(to, rest)
  }
  return undefined
}
