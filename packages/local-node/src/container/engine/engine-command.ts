import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Container, type Pod, parseQuantity, quantityValue } from '@agents/kube'
import type { ResolvedMount } from '../../mount/resolve-mounts.ts'
import { ConfigError } from '../../pod-config/config-error.ts'
import { markerName } from '../process-identity.ts'
import type { EngineName, ImageFacts } from './engine.ts'
import { securityArguments } from './engine-security.ts'
import { mountArgument } from './mount-argument.ts'

export interface EngineContainer {
  readonly name: string
  readonly labels: readonly string[]
  readonly pod: Pod
  readonly container: Container & { readonly stdin?: boolean }
  readonly image: ImageFacts
  readonly command: readonly string[] | undefined
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly mounts: readonly ResolvedMount[]
  /** Environment of the engine's own program. */
  readonly engineVariables: Readonly<Record<string, string>>
  /** File for variables that cannot be passed in another way. Other users must not be able to read it. */
  readonly variableFile: string
}

/**
 * The command that runs the container in the foreground, so that it is supervised like a process. Values of variables
 * are passed through its environment, never through its arguments, which every user of the machine can read.
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
    // Processes that the engine starts must not have our marker: they manage the container.
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
  // The node keeps the output, and the image already exists.
  return [
    ...['run', '--name', name, ...labels.flatMap((label) => ['--label', label])],
    ...(container.stdin === true ? ['--interactive'] : []),
    ...['--log-driver', 'none', '--pull', 'never'],
    ...['--network', 'host', '--hostname', pod.metadata.name.slice(0, longestHostname)],
    // Containers get the variables of their pod, not those of the shell that started the platform.
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
 * Docker adds the proxies of the user's configuration unless they are named; named without a value, they are not set.
 * Its program talks only to its daemon and needs none of them.
 */
const proxyNames = ['HTTP', 'HTTPS', 'FTP', 'ALL', 'NO']
  .map((kind) => `${kind}_PROXY`)
  .flatMap((name) => [name, name.toLowerCase()])

/**
 * A variable that would affect the engine's program or the shell that runs it, or that neither can pass on, such as a
 * `DOCKER_HOST` that a pod sets for itself.
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
 * Engines read files of lines only. A value of several lines whose name is not valid in a shell, such as the content
 * of a file from `envFrom`, is omitted.
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
      `variable ${name}: container engines do not support values of several lines for this name`,
    )
  })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, lines.join(''), { mode: 0o600 })
}

/** Engines accept `512m`, but not the units of Kubernetes. */
function bytes(quantity: string): string {
  return String(quantityValue(parseQuantity(quantity)))
}
