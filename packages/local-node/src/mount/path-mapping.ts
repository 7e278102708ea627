import { lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { EscapeError, makeInside, segmentsOf } from '../folder/inside.ts'
import { ConfigError } from '../pod/config-error.ts'
import type { ResolvedMount } from './resolve-mounts.ts'

/** A path of the container, with everything below it, and where it is on this machine. */
export interface PathMapping {
  readonly from: string
  readonly to: string
}

/** Folders that programs share with the machine. Below them only what is mounted is the container's own. */
const shared = new Set(
  'bin boot dev etc home lib lib32 lib64 libx32 media mnt nix opt private proc root run sbin srv sys tmp usr var Applications Library System Users Volumes'.split(
    ' ',
  ),
)

/**
 * Processes see the file system of the machine, so what a container mounts at `/workspace` cannot be there for them. It is linked
 * into the container's root folder instead, and paths in what the container is given are changed to lead there. A mount at
 * `/workspace/run.json` makes all of `/workspace` the container's own, one at `/etc/tool.conf` that file alone.
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

export function longestFirst(mappings: readonly PathMapping[]): PathMapping[] {
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
      throw new ConfigError(`${mountPath}: something else is there already`)
    }
    if (readlinkSync(path) === source) return
    rmSync(path)
  }
  symlinkSync(source, path)
}

/** Puts paths of the container into the form that works on this machine, wherever they stand in a text. */
export function pathRewriter(mappings: readonly PathMapping[]): (text: string) => string {
  if (mappings.length === 0) return (text) => text
  const toOf = new Map(mappings.map(({ from, to }) => [from, to]))
  const froms = longestFirst(mappings).map(({ from }) =>
    from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  // `/workspace`, `--file=/workspace/x`, `a:/workspace/bin`, `cat '/workspace/x'`; neither `/workspace2` nor `/my/workspace`.
  const pattern = new RegExp(
    `(?<=^|[\\s"'\`=:,;()<>|&{\\[@])(?:${froms.join('|')})(?=$|[/\\s"'\`=:,;()<>|&}\\]]|\\.(?:\\s|$))`,
    'g',
  )
  return (text) => text.replace(pattern, (from) => toOf.get(from) ?? from)
}

/** The place of a path, if it is the container's own. */
export function mapped(path: string, mappings: readonly PathMapping[]): string | undefined {
  for (const { from, to } of longestFirst(mappings)) {
    if (path === from) return to
    if (!path.startsWith(`${from}/`)) continue
    const rest = path.slice(from.length + 1)
    if (rest.split('/').includes('..')) throw new EscapeError(`${path} leads upwards`)
    return join(to, rest)
  }
  return undefined
}
