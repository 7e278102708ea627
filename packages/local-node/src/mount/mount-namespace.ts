import { execFile } from 'node:child_process'
import { closeSync, constants, lstatSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isInside, makeInside, segmentsOf } from '../folder/inside.ts'
import { entryExists } from '../folder/path-exists.ts'
import { ConfigError } from '../pod-config/config-error.ts'
import { ownPath } from './path-mapping.ts'
import { depth, type ResolvedMount } from './resolve-mounts.ts'

/** Command prefix for a shell with a private mount namespace. */
const privately = ['/usr/bin/unshare', '-m', '--propagation', 'private', '/bin/sh']

/** Whether this process may create mounts: requires root and a kernel that permits it. */
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

interface MountNamespaceOptions {
  /** Folder of the attempt, for the script and the mount table. */
  readonly folder: string
  /** Folder for the container's own files outside its volumes. */
  readonly ownRoot: string
  readonly mounts: readonly ResolvedMount[]
  readonly workingDir: string
  /** Folders in which mount points may be created. */
  readonly allowed: readonly string[]
}

export interface MountNamespace {
  /** Command prefix for the shim. The shim itself still sees the unchanged file system of the machine. */
  readonly through: readonly string[]
  /** Root folder of the container, with its mounts and the rest of the machine. */
  readonly root: string
}

/**
 * Builds the container's root in a folder in memory into which everything is bind-mounted, so that nothing is created
 * on the machine.
 */
export async function mountNamespace(options: MountNamespaceOptions): Promise<MountNamespace> {
  const root = join(options.folder, 'root')
  await mkdir(root, { recursive: true, mode: 0o700 })
  const mounts = await Promise.all(options.mounts.map(atRealPlace))
  for (const { mountPath } of mounts) {
    if (isOfMachine(mountPath)) {
      throw new ConfigError(
        `the local node cannot mount a volume at ${mountPath}, a system folder of the machine`,
      )
    }
  }
  const plan: RootPlan = { folders: [], files: [], links: [], binds: [], modes: [] }
  const fresh = await ownFolders(options, mounts, plan)
  const points = mounts.filter((mount) => !isCovered(mount, mounts, fresh))
  await cover('/', points, fresh, plan)
  for (const mount of mounts.toSorted((a, b) => depth(a.mountPath) - depth(b.mountPath))) {
    if (!points.includes(mount)) await makePoint(mount, mounts, options)
    plan.binds.push(mount)
  }
  await makeWorkingDir(options, mounts, fresh, plan)
  const table = join(options.folder, 'mounts')
  await writeFile(table, fstab(plan.binds, root), { mode: 0o600 })
  const script = join(options.folder, 'mounts.sh')
  const inner = mounts.filter((mount) => !points.includes(mount))
  await writeFile(script, scriptOf(plan, root, table, inner), { mode: 0o600 })
  return { through: [...privately, script], root }
}

const machinePlaces =
  /^\/(?:(?:usr|etc|dev)$|(?:usr\/)?(?:s?bin|lib[^/]*)(?:\/|$)|(?:proc|sys)(?:\/|$)|etc\/ld\.so\.)/

/** Whether the path has programs and libraries of the machine, or interfaces that they need. */
function isOfMachine(mountPath: string): boolean {
  return machinePlaces.test(mountPath)
}

interface Bind {
  readonly mountPath: string
  readonly source: string
  readonly isFolder: boolean
  readonly readOnly: boolean
  /** Whether it belongs to the machine and may be removed before it is bound. */
  readonly mayVanish?: boolean
}

interface RootPlan {
  readonly folders: string[]
  readonly files: string[]
  readonly links: { path: string; target: string }[]
  readonly binds: Bind[]
  /** Folders that replace those of the machine, with their permissions. */
  readonly modes: { path: string; owner: string; mode: string }[]
}

/** Resolves links in the path of a mount point, as the kernel would. */
async function atRealPlace(mount: ResolvedMount): Promise<ResolvedMount> {
  for (let path = dirname(mount.mountPath); path !== '/'; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined)
    if (real === undefined) continue
    if (ownPath(mount.mountPath) !== mount.mountPath) break
    return { ...mount, mountPath: join(real, mount.mountPath.slice(path.length)) }
  }
  return mount
}

/** Top folders that are private to the container, whatever the machine has there. */
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

/** Binds the content of a folder of the machine, and creates the mount points in and below it. */
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
      plan.modes.push(await modeOf(path))
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

/** A folder that is closed to other users must not be opened by a mount below it. */
async function modeOf(path: string): Promise<RootPlan['modes'][number]> {
  const { mode, uid, gid } = await stat(path)
  return { path, owner: `${uid}:${gid}`, mode: (mode & 0o7777).toString(8) }
}

/**
 * The container creates its working directory itself, with its own permissions, if it could have created links there.
 */
async function makeWorkingDir(
  { workingDir, ownRoot }: MountNamespaceOptions,
  mounts: readonly ResolvedMount[],
  fresh: ReadonlySet<string>,
  plan: RootPlan,
): Promise<void> {
  if (mounts.some(({ mountPath }) => isInside(mountPath, workingDir))) return
  const segments = segmentsOf(workingDir.slice(1))
  const top = `/${segments[0] ?? ''}`
  if (fresh.has(top)) await makeInside(ownRoot, segments, [ownRoot])
  else if (top !== '/' && !entryExists(top)) plan.folders.push(workingDir)
}

/** Absolute, because the link may be in a folder that was created for the container. */
async function realTarget(path: string): Promise<string> {
  return realpath(path).catch(() => '/nonexistent')
}

/** A mount inside another one needs a mount point there, as for every container runtime. */
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
  makeFile(join(folder, segments.at(-1) ?? ''))
}

/** A container may have created a link there, which must not be followed. */
function makeFile(path: string): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  if (!entryExists(path)) closeSync(openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644))
  if (!lstatSync(path).isFile()) {
    throw new ConfigError(
      `${JSON.stringify(path)} is not a file, so a file cannot be mounted there`,
    )
  }
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
  return path.replace(
    /[\s\\#]/g,
    (found) => `\\${found.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
}

function scriptOf(
  { folders, files, links, modes }: RootPlan,
  root: string,
  table: string,
  inner: readonly ResolvedMount[],
): string {
  const inRoot = (path: string): string => quoted(join(root, path))
  return [
    'set -e',
    `mount -t tmpfs -o mode=755 tmpfs ${quoted(root)}`,
    ...chunks(folders.map(inRoot)).map((some) => `mkdir -p ${some}`),
    ...chunks(files.map(inRoot)).map((some) => `touch ${some}`),
    ...links.map(({ path, target }) => `ln -s ${quoted(target)} ${inRoot(path)}`),
    ...modes.map(
      ({ path, owner, mode }) => `chown ${owner} ${inRoot(path)}\nchmod ${mode} ${inRoot(path)}`,
    ),
    `mount -a -T ${quoted(table)}`,
    ...(inner.length === 0 ? [] : [requireMounts(inner.map((one) => join(root, one.mountPath)))]),
    'exec "$@"',
    '',
  ].join('\n')
}

/**
 * Ends the script unless these paths are mounted correctly. In a volume, a container can replace a folder with a link
 * just before the mount, which would then cover a folder of the machine. No program may run until that is ruled out,
 * so the shell checks it itself.
 */
function requireMounts(paths: readonly string[]): string {
  const patterns = paths.map((path) => quoted(field(path))).join('|')
  return [
    '_agents_found=0',
    'while read -r _agents_a _agents_b _agents_c _agents_d _agents_point _agents_rest; do',
    `  case $_agents_point in ${patterns}) _agents_found=$((_agents_found + 1)) ;; esac`,
    'done </proc/self/mountinfo',
    `[ "$_agents_found" -eq ${paths.length} ] || exit 125`,
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
