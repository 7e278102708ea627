import { accessSync, constants } from 'node:fs'
import { chmod, stat, writeFile } from 'node:fs/promises'
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
import {
  linkMounts,
  mapped,
  ownPath,
  type PathMapping,
  pathRewriter,
} from '../mount/path-mapping.ts'
import { type ResolvedMount, resolveMounts } from '../mount/resolve-mounts.ts'
import { ConfigError } from '../pod/config-error.ts'
import type { PodObjects } from '../pod/pod-objects.ts'
import type { PreparedVolume } from '../volume/prepare-volumes.ts'
import type { CommandLine } from './attempt.ts'
import type { ContainerEngine, ImageFacts } from './engine.ts'
import { engineCommand } from './engine-command.ts'
import type { EngineImages } from './engine-images.ts'
import { markerName } from './process-identity.ts'

export interface LaunchContext {
  readonly state: StateFolder
  readonly folder: PodFolder
  readonly objects: PodObjects
  readonly node: NodeFacts
  readonly volumes: ReadonlyMap<string, PreparedVolume>
  /** What every process gets: `PATH`, `HOME`, … A container's own variables go before. */
  readonly baseEnvironment: Readonly<Record<string, string>>
  /** Whether mounts are made for real; paths are changed otherwise. */
  readonly realMounts: boolean
  readonly engine: EngineRunning | undefined
}

/** The engine that runs images, and what it needs for that. */
export interface EngineRunning {
  readonly engine: ContainerEngine
  readonly images: EngineImages
}

export interface LaunchPlan {
  readonly line: CommandLine
  readonly messagePath: string
  readonly engineName?: string
  readonly stopSignal?: string
}

/** A container as the API describes it, with what only the node reads. */
export interface NodeContainer extends Container {
  terminationMessagePath?: string
  terminationMessagePolicy?: string
}

interface Place {
  /** Of the attempt. */
  readonly folder: string
  readonly marker: string
  readonly messagePath: string
}

/** How to run a container's command on this machine. Throws a ConfigError when that cannot be said. */
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
  const place = { ...attempt, messagePath: join(attempt.folder, 'termination-log') }
  const given = { pod, container, environment, mounts, command, args }
  if (context.engine !== undefined && image !== undefined) {
    return inEngine(given, place, context, { ...context.engine, image })
  }
  if (command.length === 0) {
    throw new ConfigError(
      `container ${container.name} has no command, and the local node runs commands, not images: give it one, or start the node with a container runtime`,
    )
  }
  // Where the state folder lies below a mount, the container would hide it from its own shim.
  const hides = mounts.some(({ mountPath }) => isInside(ownPath(mountPath), context.state.path))
  if (context.realMounts && !hides) return withMounts(given, place, context)
  return withPaths(given, place, context)
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

async function withPaths(given: Given, place: Place, context: LaunchContext): Promise<LaunchPlan> {
  const { container, environment, command, args } = given
  const root = context.folder.root(container.name)
  const links = await linkMounts(root, given.mounts, allowedIn(context))
  const message = absolutePath(container.terminationMessagePath ?? messageFile)
  const isOwn = mapped(message, links)
  const mappings: PathMapping[] =
    isOwn === undefined ? [...links, { from: message, to: place.messagePath }] : links
  const rewrite = pathRewriter(mappings)
  const messagePath = isOwn ?? place.messagePath
  const variables = Object.fromEntries(
    Object.entries(environment.variables).map(([name, value]) => [
      name,
      environment.literal.has(name) ? rewrite(value) : value,
    ]),
  )
  const all: Record<string, string> = {
    ...baseOf(given, place, context),
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
  }
}

async function withMounts(given: Given, place: Place, context: LaunchContext): Promise<LaunchPlan> {
  const { container, environment, command, args } = given
  const message = absolutePath(container.terminationMessagePath ?? messageFile)
  const through = await mountNamespace({
    folder: place.folder,
    ownRoot: context.folder.root(container.name),
    mounts: await withMessageFile(given.mounts, message, place.messagePath),
    workingDir: absolutePath(container.workingDir ?? '/'),
    allowed: allowedIn(context),
  })
  const all = {
    ...baseOf(given, place, context),
    AGENTS_TERMINATION_LOG: message,
    ...environment.variables,
  }
  return {
    line: { command: [...command, ...args], workingDir: '/', environment: all, through },
    messagePath: place.messagePath,
  }
}

async function inEngine(
  given: Given,
  place: Place,
  context: LaunchContext,
  { engine, image }: EngineRunning & { readonly image: ImageFacts },
): Promise<LaunchPlan> {
  const { pod, container, environment, args } = given
  const message = absolutePath(container.terminationMessagePath ?? messageFile)
  const engineName = engineNameOf(place.marker)
  const { command, environment: variables } = await engineCommand(engine.name, {
    name: engineName,
    labels: engine.labels,
    pod,
    container,
    image,
    command: given.command.length === 0 ? undefined : given.command,
    args,
    variables: { HOSTNAME: pod.metadata.name, ...environment.variables },
    mounts: await withMessageFile(given.mounts, message, place.messagePath),
    engineVariables: engine.environment,
    variableFile: join(context.folder.secrets, `${container.name}.variables`),
  })
  const all = { ...variables, [markerName]: place.marker }
  return {
    line: { command, workingDir: context.folder.path, environment: all, through: [] },
    messagePath: place.messagePath,
    engineName,
    ...(image.stopSignal !== undefined && { stopSignal: image.stopSignal }),
  }
}

/** One more mount, for the file of the container's last words, also where that lies in a volume. */
async function withMessageFile(
  mounts: readonly ResolvedMount[],
  mountPath: string,
  source: string,
): Promise<ResolvedMount[]> {
  await writeFile(source, '')
  // Whoever the container runs as; nobody else gets as far as here.
  await chmod(source, 0o666)
  const around = mounts.findLast((mount) => isInside(mount.mountPath, mountPath))
  // Where it could not be mounted, nobody could write it either.
  if (around !== undefined && (around.readOnly || around.mountPath === mountPath)) {
    return [...mounts]
  }
  return [...mounts, { mountPath, source, isFolder: false, readOnly: false }]
}

function baseOf({ pod }: Given, { marker }: Place, context: LaunchContext): Record<string, string> {
  return { ...context.baseEnvironment, HOSTNAME: pod.metadata.name, [markerName]: marker }
}

/** What an engine knows the container of an attempt by. None of the marker's parts holds the sign between them. */
export function engineNameOf(marker: string): string {
  return ['agents', ...marker.split('/')].join('_')
}

function allowedIn({ folder, state, volumes }: LaunchContext): string[] {
  const ofVolumes = [...volumes.values()].flatMap(({ allowed }) => allowed)
  return [folder.path, folder.secrets, join(state.path, 'claims'), ...ofVolumes]
}

/** A folder that neither the container nor the machine has is made in the container's root. */
async function workingDirOf(
  wanted: string | undefined,
  root: string,
  mappings: readonly PathMapping[],
  allowed: readonly string[],
): Promise<string> {
  if (wanted === undefined || wanted === '') return root
  const path = absolutePath(wanted)
  const place = mapped(path, mappings)
  if (place === undefined) {
    if ((await stat(path).catch(() => undefined))?.isDirectory() === true) return path
    return makeInside(root, segmentsOf(path.slice(1)), [root, ...allowed])
  }
  const way = isInside(root, place) ? place.slice(root.length + 1) : ''
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

/** Nothing on this machine can be started under that name. */
export class MissingProgramError extends Error {
  override name = 'MissingProgramError'

  constructor(program: string) {
    super(`exec: ${JSON.stringify(program)}: executable file not found in $PATH`)
  }
}

function own(variables: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined
}
