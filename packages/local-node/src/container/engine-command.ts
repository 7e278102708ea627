import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Container, type Pod, parseQuantity, quantityValue } from '@agents/kube'
import type { ResolvedMount } from '../mount/resolve-mounts.ts'
import { ConfigError } from '../pod/config-error.ts'
import type { EngineName, ImageFacts } from './engine.ts'
import { securityArguments } from './engine-security.ts'
import { mountArgument } from './mount-argument.ts'
import { markerName } from './process-identity.ts'

export interface EngineContainer {
  readonly name: string
  readonly labels: readonly string[]
  readonly pod: Pod
  readonly container: Container
  readonly image: ImageFacts
  readonly command: readonly string[] | undefined
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly mounts: readonly ResolvedMount[]
  /** What the engine's own program is given. */
  readonly engineVariables: Readonly<Record<string, string>>
  /** Where variables are written that cannot reach the container in another way; nobody else may read there. */
  readonly variableFile: string
}

/**
 * The command that runs the container in the foreground, so that it is watched over like any other. Values of variables go
 * through its environment, never through its arguments, which everybody on the machine can read.
 */
export async function engineCommand(
  engine: EngineName,
  container: EngineContainer,
): Promise<{ command: string[]; environment: Record<string, string> }> {
  const { variables, variableFile } = container
  const added = engine === 'docker' ? proxyNames : []
  const engineVariables = Object.fromEntries(
    Object.entries(container.engineVariables).filter(([name]) => !added.includes(name)),
  )
  const names = Object.keys(variables)
  const clashing = names.filter(
    (name) => !added.includes(name) && isClashing(name, engineVariables),
  )
  const passed = names.filter((name) => !clashing.includes(name))
  if (clashing.length > 0) await writeVariables(variableFile, variables, clashing)
  const environment = Object.fromEntries(passed.map((name) => [name, variables[name] ?? '']))
  const named = [...new Set([...passed, ...added])]
  return {
    // What the engine starts beside us must not be taken for ours: it looks after the container.
    command: [
      ...['env', '-u', markerName, engine],
      ...runArguments(engine, container, named, clashing.length > 0),
    ],
    environment: { ...environment, ...engineVariables },
  }
}

function runArguments(
  engine: EngineName,
  given: EngineContainer,
  named: readonly string[],
  hasFile: boolean,
): string[] {
  const { name, labels, pod, container, image, command, args, mounts, variableFile } = given
  const { limits = {} } = container.resources ?? {}
  const [entrypoint, ...rest] = command ?? []
  // The output is kept by us, and the image is there already.
  return [
    ...['run', '--name', name, ...labels.flatMap((label) => ['--label', label])],
    ...['--log-driver', 'none', '--pull', 'never'],
    ...['--network', 'host', '--hostname', pod.metadata.name.slice(0, longestHostname)],
    // The pod says what its containers are given, not the shell that started us.
    ...(engine === 'podman' ? ['--http-proxy=false'] : []),
    ...securityArguments(engine, pod, container, image),
    ...(hasFile ? ['--env-file', variableFile] : []),
    ...named.flatMap((variable) => ['--env', variable]),
    ...mounts.flatMap((mount) => ['--mount', mountArgument(mount)]),
    ...(container.workingDir ? ['--workdir', container.workingDir] : []),
    ...(limits.memory === undefined ? [] : ['--memory', bytes(limits.memory)]),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    container.image ?? '',
    ...rest,
    ...args,
  ]
}

const longestHostname = 63

/**
 * What docker adds of a person's settings, unless it is named: without a value it is not there at all. Its program itself, which talks
 * to nobody but its daemon, needs none of them.
 */
const proxyNames = ['HTTP', 'HTTPS', 'FTP', 'ALL', 'NO']
  .map((kind) => `${kind}_PROXY`)
  .flatMap((name) => [name, name.toLowerCase()])

/**
 * A variable that would change what the engine's program does, or what the shell does that runs it, or that neither can pass on:
 * a pod may name a `DOCKER_HOST` for itself.
 */
function isClashing(name: string, engineVariables: Readonly<Record<string, string>>): boolean {
  if (Object.hasOwn(engineVariables, name)) return true
  return !plainName.test(name) || ofEngines.test(name) || ofShells.test(name)
}

const plainName = /^[A-Za-z_]\w*$/
const ofEngines =
  /^(PATH|HOME|TMPDIR|NOTIFY_SOCKET|REGISTRY_AUTH_FILE|GODEBUG|GO(GC|MAXPROCS|MEMLIMIT|TRACEBACK)|(DOCKER|BUILDKIT|MOBY|CONTAINERS?|_CONTAINERS|PODMAN|BUILDAH|STORAGE|XDG|DBUS|LISTEN|SSH|SSL|LD|AGENTS)_.*|(https?|ftp|all|no)_proxy)$/i
const ofShells = /^(_|_agents_.*|PWD|OLDPWD|SHLVL|IFS|ENV|PPID|OPTIND|OPTARG|U?E?UID|PS\d|BASH.*)$/

/**
 * A file of lines is all that engines read. A value of several lines whose name no shell could use anyway, such as the content of a
 * file in a ConfigMap of which all keys are taken, is left out.
 */
async function writeVariables(
  file: string,
  variables: Readonly<Record<string, string>>,
  names: readonly string[],
): Promise<void> {
  const lines = names.map((name) => {
    const value = variables[name] ?? ''
    if (!/[\r\n]/.test(value)) return `${name}=${value}\n`
    if (!plainName.test(name)) return ''
    throw new ConfigError(
      `variable ${name}: a container engine takes no value of several lines under this name`,
    )
  })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, lines.join(''), { mode: 0o600 })
}

/** Engines know `512m`, but not the units of Kubernetes. */
function bytes(quantity: string): string {
  return String(quantityValue(parseQuantity(quantity)))
}
