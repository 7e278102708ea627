import { accessSync, constants } from 'node:fs'
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Container, Pod } from '@agents/kube'
import {
  type ContainerEnvironment,
  containerEnvironment,
} from '../environment/container-environment.ts'
import { expand } from '../environment/expand.ts'
import type { NodeFacts } from '../environment/field-value.ts'
import { absolutePath, isInside, makeInside, segmentsOf } from '../folder/inside.ts'
import type { PodFolder, StateFolder } from '../folder/pod-folder.ts'
import { mountNamespace } from '../mount/mount-namespace.ts'
import { linkMounts, mapped, type PathMapping, pathRewriter } from '../mount/path-mapping.ts'
import { type ResolvedMount, resolveMounts } from '../mount/resolve-mounts.ts'
import { ConfigError } from '../pod-config/config-error.ts'
import { userOf } from '../pod-config/container-user.ts'
import type { PodObjects } from '../pod-config/pod-objects.ts'
import type { PreparedVolume } from '../volume/prepare-volumes.ts'
import type { CommandLine } from './attempt.ts'
import type { ContainerPlace } from './attempt-record.ts'
import { enterContainer } from './container-entry.ts'
import type { ContainerEngine, ImageFacts } from './engine/engine.ts'
import { engineCommand } from './engine/engine-command.ts'
import type { EngineImages } from './engine/engine-images.ts'
import { markerName } from './process-identity.ts'

export interface LaunchContext {
  readonly state: StateFolder
  readonly folder: PodFolder
  readonly objects: PodObjects
  readonly node: NodeFacts
  readonly volumes: ReadonlyMap<string, PreparedVolume>
  /** Variables of every process, such as `PATH` and `HOME`. A container's own variables override them. */
  readonly baseEnvironment: Readonly<Record<string, string>>
  /** Whether mounts are created; otherwise paths are rewritten. */
  readonly realMounts: boolean
  readonly engine: EngineRunning | undefined
  /** Set if containers run as the users that their pods request. */
  readonly ownUsers: OwnUsers | undefined
}

/** Requirements of containers that run as other users. */
export interface OwnUsers {
  /** Folder of the platform's programs, mounted where every user can reach it. */
  readonly programs: string | undefined
}

/** The engine that runs images, and its image store. */
interface EngineRunning {
  readonly engine: ContainerEngine
  readonly images: EngineImages
}

interface LaunchPlan {
  readonly line: CommandLine
  readonly messagePath: string
  readonly engineName?: string
  readonly stopSignal?: string
  readonly place?: ContainerPlace
  readonly input?: 'open' | 'once'
}

/** A container with fields that only the node reads. */
export interface NodeContainer extends Container {
  terminationMessagePath?: string
  terminationMessagePolicy?: string
  stdin?: boolean
  stdinOnce?: boolean
}

interface AttemptPaths {
  /** Folder of the attempt. */
  readonly folder: string
  readonly marker: string
  readonly messagePath: string
}

/** How to run a container's command on this machine. Throws a ConfigError if the configuration is invalid. */
export async function launchPlan(
  pod: Pod,
  container: NodeContainer,
  attempt: { folder: string; marker: string },
  context: LaunchContext,
): Promise<LaunchPlan> {
  const image = await context.engine?.images.ready(pod, container)
  const environment = await containerEnvironment(pod, container, context.objects, context.node)
  const { variables } = environment
  const mounts = await resolveMounts(container, context.volumes, variables)
  const words = (list: readonly string[] = []): string[] =>
    list.map((word) => expand(word, (name) => own(variables, name)))
  const command = words(container.command)
  const args = words(container.args)
  const paths = { ...attempt, messagePath: join(attempt.folder, 'termination-log') }
  const given = { pod, container, environment, mounts, command, args }
  const input = inputOf(container)
  if (context.engine !== undefined && image !== undefined) {
    return { ...(await inEngine(given, paths, context, { ...context.engine, image })), ...input }
  }
  if (command.length === 0) {
    throw new ConfigError(
      `container ${container.name} has no command; the local node runs commands, not images: set a command, or start the node with a container runtime`,
    )
  }
  const plan = context.realMounts ? withMounts : withPaths
  return { ...(await plan(given, paths, context)), ...input }
}

function inputOf({ stdin, stdinOnce }: NodeContainer): Pick<LaunchPlan, 'input'> {
  return stdin === true ? { input: stdinOnce === true ? 'once' : 'open' } : {}
}

interface Given {
  readonly pod: Pod
  readonly container: NodeContainer
  readonly environment: ContainerEnvironment
  readonly mounts: readonly ResolvedMount[]
  readonly command: readonly string[]
  readonly args: readonly string[]
}

const messageFile = '/dev/termination-log'

async function withPaths(
  given: Given,
  paths: AttemptPaths,
  context: LaunchContext,
): Promise<LaunchPlan> {
  const { container, environment, command, args } = given
  const root = context.folder.root(container.name)
  const links = await linkMounts(root, given.mounts, allowedIn(context))
  const message = absolutePath(container.terminationMessagePath ?? messageFile)
  const isOwn = mapped(message, links)
  const mappings: PathMapping[] =
    isOwn === undefined ? [...links, { from: message, to: paths.messagePath }] : links
  const rewrite = pathRewriter(mappings)
  const messagePath = isOwn ?? paths.messagePath
  const variables = Object.fromEntries(
    Object.entries(environment.variables).map(([name, value]) => [
      name,
      environment.literal.has(name) ? rewrite(value) : value,
    ]),
  )
  const all: Record<string, string> = {
    ...baseOf(given, paths, context),
    AGENTS_POD_ROOT: root,
    AGENTS_TERMINATION_LOG: messagePath,
    ...variables,
  }
  const workingDir = await workingDirOf(container.workingDir, root, mappings, allowedIn(context))
  const words = [...command, ...args].map(rewrite)
  requireProgram(words[0] ?? '', all.PATH ?? '', workingDir)
  return {
    line: { command: words, workingDir, environment: all, through: [] },
    messagePath,
    place: { workingDir },
  }
}

async function withMounts(
  given: Given,
  paths: AttemptPaths,
  context: LaunchContext,
): Promise<LaunchPlan> {
  const { container, environment, command, args } = given
  const message = absolutePath(container.terminationMessagePath ?? messageFile)
  const user = context.ownUsers && userOf(given.pod, container)
  const own = user === undefined ? undefined : await ownMounts(given, context)
  const workingDir = absolutePath(container.workingDir ?? '/')
  const { root, through } = await mountNamespace({
    folder: paths.folder,
    ownRoot: context.folder.root(container.name),
    mounts: await withMessageFile(
      [...given.mounts, ...(own?.mounts ?? [])],
      message,
      paths.messagePath,
    ),
    workingDir,
    allowed: allowedIn(context),
  })
  const variables = {
    ...baseOf(given, paths, context),
    ...own?.variables,
    AGENTS_TERMINATION_LOG: message,
    ...environment.variables,
  }
  const words = [...command, ...args]
  const entry = enterContainer({ root, user, variables, workingDir, command: words })
  const chain = { ...entry.environment, [markerName]: paths.marker }
  return {
    line: { command: entry.command, workingDir: '/', environment: chain, through },
    messagePath: paths.messagePath,
    place: { root, workingDir, ...(user !== undefined && { user }) },
  }
}

const ownHome = '/home/agents'
const ownPrograms = '/opt/agents/bin'

/**
 * A private home, so that one user cannot place files there that another one would run; and the platform's programs.
 */
async function ownMounts(
  { container, mounts }: Given,
  { folder, ownUsers, baseEnvironment }: LaunchContext,
): Promise<{ mounts: ResolvedMount[]; variables: Record<string, string> }> {
  const home = join(folder.path, 'homes', container.name)
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, 0o777)
  const programs = ownUsers?.programs
  const path = (baseEnvironment.PATH ?? '').split(delimiter)
  const wanted: ResolvedMount[] = [
    { mountPath: ownHome, source: home, isFolder: true, readOnly: false },
    ...(programs === undefined
      ? []
      : [{ mountPath: ownPrograms, source: programs, isFolder: true, readOnly: true }]),
  ]
  const taken = new Set(mounts.map(({ mountPath }) => mountPath))
  return {
    mounts: wanted.filter(({ mountPath }) => !taken.has(mountPath)),
    variables: {
      HOME: ownHome,
      XDG_CACHE_HOME: join(ownHome, '.cache'),
      PATH: path.map((one) => (one === programs ? ownPrograms : one)).join(delimiter),
    },
  }
}

async function inEngine(
  given: Given,
  paths: AttemptPaths,
  context: LaunchContext,
  { engine, image }: EngineRunning & { readonly image: ImageFacts },
): Promise<LaunchPlan> {
  const { pod, container, environment, args } = given
  const message = absolutePath(container.terminationMessagePath ?? messageFile)
  const engineName = engineNameOf(paths.marker)
  const { command, environment: variables } = await engineCommand(engine.name, {
    name: engineName,
    labels: engine.labels,
    pod,
    container,
    image,
    command: given.command.length === 0 ? undefined : given.command,
    args,
    variables: { HOSTNAME: pod.metadata.name, ...environment.variables },
    mounts: await withMessageFile(given.mounts, message, paths.messagePath),
    engineVariables: engine.environment,
    variableFile: join(context.folder.secrets, `${container.name}.variables`),
  })
  const all = { ...variables, [markerName]: paths.marker }
  return {
    line: { command, workingDir: context.folder.path, environment: all, through: [] },
    messagePath: paths.messagePath,
    engineName,
    ...(image.stopSignal !== undefined && { stopSignal: image.stopSignal }),
  }
}

/** Adds a mount for the termination message, also if its path is in a volume. */
async function withMessageFile(
  mounts: readonly ResolvedMount[],
  mountPath: string,
  source: string,
): Promise<ResolvedMount[]> {
  await writeFile(source, '')
  // Writable for any user of the container; other users cannot reach the folder.
  await chmod(source, 0o666)
  const enclosing = mounts.findLast((mount) => isInside(mount.mountPath, mountPath))
  // If it could not be mounted, the container could not write it either.
  if (enclosing !== undefined && (enclosing.readOnly || enclosing.mountPath === mountPath)) {
    return [...mounts]
  }
  return [...mounts, { mountPath, source, isFolder: false, readOnly: false }]
}

function baseOf(
  { pod }: Given,
  { marker }: AttemptPaths,
  context: LaunchContext,
): Record<string, string> {
  return { ...context.baseEnvironment, HOSTNAME: pod.metadata.name, [markerName]: marker }
}

/** Name of an attempt's container in its engine. No part of the marker contains the separator. */
function engineNameOf(marker: string): string {
  return ['agents', ...marker.split('/')].join('_')
}

function allowedIn({ folder, state, volumes }: LaunchContext): string[] {
  const ofVolumes = [...volumes.values()].flatMap(({ allowed }) => allowed)
  return [folder.path, folder.secrets, join(state.path, 'claims'), ...ofVolumes]
}

/** A folder that exists neither in the container nor on the machine is created in the container's root. */
async function workingDirOf(
  workingDir: string | undefined,
  root: string,
  mappings: readonly PathMapping[],
  allowed: readonly string[],
): Promise<string> {
  if (workingDir === undefined || workingDir === '') return root
  const path = absolutePath(workingDir)
  const target = mapped(path, mappings)
  if (target === undefined) {
    if ((await stat(path).catch(() => undefined))?.isDirectory() === true) return path
    return makeInside(root, segmentsOf(path.slice(1)), [root, ...allowed])
  }
  const way = isInside(root, target) ? target.slice(root.length + 1) : ''
  return makeInside(root, segmentsOf(way), [root, ...allowed])
}

function requireProgram(name: string, path: string, workingDir: string): void {
  const folders = name.includes('/') ? [workingDir] : path.split(delimiter)
  for (const folder of folders) {
    const file = isAbsolute(name) ? name : join(folder, name)
    if (isExecutable(file)) return
  }
  throw new MissingProgramError(name)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The program does not exist on this machine. */
export class MissingProgramError extends Error {
  override name = 'MissingProgramError'

  constructor(program: string) {
    super(`exec: ${JSON.stringify(program)}: executable file not found in $PATH`)
  }
}

function own(variables: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined
}
