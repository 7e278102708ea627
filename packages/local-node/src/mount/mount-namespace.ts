import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isInside, makeInside, segmentsOf } from '../folder/inside.ts'
import { ownPath } from './path-mapping.ts'
import { depth, type ResolvedMount } from './resolve-mounts.ts'

/** What runs a shell in which mounts are seen by nobody else. */
const privately = ['/usr/bin/unshare', '-m', '--propagation', 'private', '/bin/sh']

/** Whether this process may make mounts of its own: it takes the super-user, and a kernel that lets him. */
export async function canMount(scratch: string): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = await mkdtemp(join(scratch, 'mount-'))
  const script =
    'mount -t tmpfs tmpfs "$1" && mkdir "$1/a" && mount --rbind /proc "$1/a" && chroot / true'
  const [file = '', ...args] = [...privately, '-c', script, 'sh', folder]
  try {
    await promisify(execFile)(file, args, { timeout: 10_000 })
    return true
  } catch {
    return false
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export interface MountNamespaceOptions {
  /** Of the attempt: the script and the table are left there. */
  readonly folder: string
  /** Holds on disk what the container has for itself beside its volumes. */
  readonly ownRoot: string
  readonly mounts: readonly ResolvedMount[]
  readonly workingDir: string
  /** Folders in which mount points may be made. */
  readonly allowed: readonly string[]
}

/**
 * The program through which to run the shim so that the container finds its volumes where it mounts them, and the rest of the
 * machine as it is. Its root is a folder in memory into which everything is bound; so nothing is made on the machine for it.
 */
export async function mountNamespace(options: MountNamespaceOptions): Promise<string[]> {
  const root = join(options.folder, 'root')
  await mkdir(root, { recursive: true, mode: 0o700 })
  const mounts = await Promise.all(options.mounts.map(atRealPlace))
  const plan: RootPlan = { folders: [], files: [], links: [], binds: [] }
  const fresh = await ownFolders(options, mounts, plan)
  const points = mounts.filter((mount) => !isCovered(mount, mounts, fresh))
  await cover('/', points, fresh, plan)
  for (const mount of mounts.toSorted((a, b) => depth(a.mountPath) - depth(b.mountPath))) {
    if (!points.includes(mount)) await makePoint(mount, mounts, options)
    plan.binds.push(mount)
  }
  const table = join(options.folder, 'mounts')
  await writeFile(table, fstab(plan.binds, root), { mode: 0o600 })
  const script = join(options.folder, 'mounts.sh')
  await writeFile(script, scriptOf(plan, root, table, options.workingDir), { mode: 0o600 })
  return [...privately, script]
}

interface Bind {
  readonly mountPath: string
  readonly source: string
  readonly isFolder: boolean
  readonly readOnly: boolean
  /** The machine's own: somebody may take it away before it is bound. */
  readonly mayVanish?: boolean
}

interface RootPlan {
  readonly folders: string[]
  readonly files: string[]
  readonly links: { path: string; target: string }[]
  readonly binds: Bind[]
}

/** Links on the way to a mount point are followed, as the kernel would. */
async function atRealPlace(mount: ResolvedMount): Promise<ResolvedMount> {
  for (let path = dirname(mount.mountPath); path !== '/'; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined)
    if (real === undefined) continue
    if (ownPath(mount.mountPath) !== mount.mountPath) break
    return { ...mount, mountPath: join(real, mount.mountPath.slice(path.length)) }
  }
  return mount
}

/** Top folders that are the container's own, whatever the machine has there. */
async function ownFolders(
  { ownRoot }: MountNamespaceOptions,
  mounts: readonly ResolvedMount[],
  plan: RootPlan,
): Promise<ReadonlySet<string>> {
  const tops = mounts.map(({ mountPath }) => ownPath(mountPath))
  const fresh = new Set(tops.filter((top) => mounts.every(({ mountPath }) => mountPath !== top)))
  for (const top of fresh) {
    if (depth(top) !== 2) {
      fresh.delete(top)
      continue
    }
    const source = await makeInside(ownRoot, segmentsOf(top.slice(1)), [ownRoot])
    plan.folders.push(top)
    plan.binds.push({ mountPath: top, source, isFolder: true, readOnly: false })
  }
  return fresh
}

function isCovered(
  { mountPath }: ResolvedMount,
  mounts: readonly ResolvedMount[],
  fresh: ReadonlySet<string>,
): boolean {
  const outers = [...fresh, ...mounts.map((mount) => mount.mountPath)]
  return outers.some((outer) => outer !== mountPath && isInside(outer, mountPath))
}

/** Binds all that is in a folder of the machine, and makes room for the mount points in it and below. */
async function cover(
  folder: string,
  points: readonly ResolvedMount[],
  fresh: ReadonlySet<string>,
  plan: RootPlan,
): Promise<void> {
  const here = points.filter(({ mountPath }) => dirname(mountPath) === folder)
  for (const { mountPath, isFolder } of here) (isFolder ? plan.folders : plan.files).push(mountPath)
  const taken = new Set([...fresh, ...here.map(({ mountPath }) => mountPath)])
  const below = points.filter((point) => !here.includes(point))
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const descended = new Set<string>()
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (taken.has(path)) continue
    const inside = below.filter(({ mountPath }) => isInside(path, mountPath))
    if (inside.length > 0 && entry.isDirectory()) {
      plan.folders.push(path)
      for (const point of inside) descended.add(point.mountPath)
      await cover(path, inside, fresh, plan)
    } else if (entry.isSymbolicLink()) {
      plan.links.push({ path, target: await realTarget(path) })
    } else {
      const isFolder = entry.isDirectory()
      ;(isFolder ? plan.folders : plan.files).push(path)
      const bind = { mountPath: path, source: path, isFolder, readOnly: false, mayVanish: true }
      plan.binds.push(bind)
    }
  }
  for (const { mountPath, isFolder } of below) {
    if (descended.has(mountPath)) continue
    plan.folders.push(isFolder ? mountPath : dirname(mountPath))
    if (!isFolder) plan.files.push(mountPath)
  }
}

/** Absolute, since the link may be in a folder that was made anew. */
async function realTarget(path: string): Promise<string> {
  return realpath(path).catch(() => '/nonexistent')
}

/** A mount inside of another one needs a place there, as it does for every container runtime. */
async function makePoint(
  mount: ResolvedMount,
  mounts: readonly ResolvedMount[],
  { ownRoot, allowed }: MountNamespaceOptions,
): Promise<void> {
  const outer = mounts
    .filter((one) => one !== mount && isInside(one.mountPath, mount.mountPath))
    .at(-1)
  const base = outer?.source ?? ownRoot
  const way = mount.mountPath.slice(outer === undefined ? 1 : outer.mountPath.length + 1)
  const segments = segmentsOf(way)
  if (mount.isFolder) {
    await makeInside(base, segments, [...allowed, ownRoot])
    return
  }
  const folder = await makeInside(base, segments.slice(0, -1), [...allowed, ownRoot])
  await writeFile(join(folder, segments.at(-1) ?? ''), '', { flag: 'a' })
}

function fstab(binds: readonly Bind[], root: string): string {
  return binds
    .map(({ mountPath, source, isFolder, readOnly, mayVanish = false }) => {
      const options = [
        isFolder ? 'rbind' : 'bind',
        ...(readOnly ? ['ro'] : []),
        ...(mayVanish ? ['nofail'] : []),
      ]
      return `${field(source)} ${field(join(root, mountPath))} none ${options} 0 0\n`
    })
    .join('')
}

function field(path: string): string {
  return path.replace(/[\s\\]/g, (found) => `\\${found.charCodeAt(0).toString(8).padStart(3, '0')}`)
}

function scriptOf(plan: RootPlan, root: string, table: string, workingDir: string): string {
  const inRoot = (path: string): string => quoted(join(root, path))
  const files = plan.files.map(inRoot)
  return [
    'set -e',
    // The container's path says nothing about where the machine has its tools.
    '_agents_path=$PATH',
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    `mount -t tmpfs -o mode=755 tmpfs ${quoted(root)}`,
    ...chunks(plan.folders.map(inRoot)).map((some) => `mkdir -p ${some}`),
    ...chunks(files).map((some) => `touch ${some}`),
    ...plan.links.map(({ path, target }) => `ln -s ${quoted(target)} ${inRoot(path)}`),
    `mount -a -T ${quoted(table)}`,
    `mkdir -p ${inRoot(workingDir)}`,
    '_agents_chroot=$(command -v chroot)',
    'PATH=$_agents_path',
    `exec "$_agents_chroot" ${quoted(root)} /bin/sh -c 'cd "$1"; shift; exec "$@"' sh ${quoted(workingDir)} "$@"`,
    '',
  ].join('\n')
}

function chunks(words: readonly string[]): string[] {
  const lines: string[] = []
  for (let at = 0; at < words.length; at += 100) lines.push(words.slice(at, at + 100).join(' '))
  return lines
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
