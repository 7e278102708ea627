import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Container, parseQuantity, quantityValue } from '@agents/kube'
import type { ResolvedMount } from '../mount/resolve-mounts.ts'

/** A program that runs images, with the command line of docker. */
export type EngineName = 'docker' | 'podman'

export interface EngineContainer {
  readonly name: string
  readonly container: Container
  readonly command: readonly string[] | undefined
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly mounts: readonly ResolvedMount[]
  readonly workingDir: string | undefined
  readonly hostname: string
  /** Names that the engine's own program needs as they are. */
  readonly engineVariables: Readonly<Record<string, string>>
  readonly folder: string
}

/**
 * The command that runs the container in the foreground, so that it is watched over like any other. Values of variables go
 * through its environment, never through its arguments, which everybody on the machine can read.
 */
export async function engineCommand(
  engine: EngineName,
  { folder, ...container }: EngineContainer,
): Promise<{ command: string[]; environment: Record<string, string> }> {
  const { variables, engineVariables } = container
  const clashing = Object.keys(variables).filter((name) => Object.hasOwn(engineVariables, name))
  const file = join(folder, 'variables')
  const lines = clashing.map((name) => `${name}=${variables[name]?.replaceAll('\n', ' ') ?? ''}\n`)
  await writeFile(file, lines.join(''), { mode: 0o600 })
  const named = Object.keys(variables).filter((name) => !clashing.includes(name))
  return {
    command: [engine, ...runArguments({ folder, ...container }, named, file)],
    environment: { ...variables, ...engineVariables },
  }
}

function runArguments(
  { name, container, command, args, mounts, workingDir, hostname }: EngineContainer,
  variables: readonly string[],
  variableFile: string,
): string[] {
  const { limits = {} } = container.resources ?? {}
  const user = container.securityContext?.runAsUser
  const [entrypoint, ...rest] = command ?? []
  return [
    ...['run', '--rm', '--name', name, '--network', 'host', '--pull', pullPolicy(container)],
    ...['--label', 'agents.local-node=container', '--env-file', variableFile],
    ...variables.flatMap((variable) => ['--env', variable]),
    ...['--env', `HOSTNAME=${hostname}`],
    ...mounts.flatMap((mount) => ['--mount', mountArgument(mount)]),
    ...(workingDir === undefined ? [] : ['--workdir', workingDir]),
    ...(user === undefined ? [] : ['--user', String(user)]),
    ...(limits.memory === undefined ? [] : ['--memory', bytes(limits.memory)]),
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    container.image ?? '',
    ...rest,
    ...args,
  ]
}

function pullPolicy({ imagePullPolicy }: Container): string {
  if (imagePullPolicy === 'Always') return 'always'
  return imagePullPolicy === 'Never' ? 'never' : 'missing'
}

function mountArgument({ mountPath, source, readOnly }: ResolvedMount): string {
  const fields = ['type=bind', `source=${source}`, `target=${mountPath}`]
  if (readOnly) fields.push('readonly')
  return fields
    .map((one) => (/[",\n]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one))
    .join(',')
}

/** Engines know `512m`, but not the units of Kubernetes. */
function bytes(quantity: string): string {
  return String(quantityValue(parseQuantity(quantity)))
}

/** Ends the container and takes it away; one that is gone is as good. */
export async function endInEngine(engine: EngineName, name: string): Promise<void> {
  await promisify(execFile)(engine, ['rm', '--force', name], { timeout: 30_000 }).catch(
    () => undefined,
  )
}

/** Whether the engine's program is there and has somebody to talk to. */
export async function isEngineThere(engine: EngineName): Promise<boolean> {
  return promisify(execFile)(engine, ['info'], { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}
