import { posix } from 'node:path'
import type { Container, Volume } from '@agents/kube'
import { RUN_SPEC_PATH } from '../../../../runner/contract/run-spec.ts'
import { RUNNER_SPEC_PATH } from '../../../../runner/contract/runner-spec.ts'
import { WORKSPACE } from '../../../../runner/workspace/workspace-path.ts'
import { type Found, found, refused } from '../resolution/problem.ts'
import type { Refused, ResolvedWork, Workload } from '../resolution/resolution.ts'
import type { FilledProvider } from './filled-provider.ts'
import { SYSTEM_PROMPT_FILE, SYSTEM_PROMPT_PATH } from './system-prompt-path.ts'
import { KNOWN_HOSTS_FOLDER, SSH_FOLDER } from './vcs-environment.ts'

type Mount = NonNullable<Container['volumeMounts']>[number]

export interface Mounted {
  readonly volumes: Volume[]
  readonly mounts: Mount[]
}

export interface ConfigMapNames {
  readonly spec: string
  readonly inputs: string
}

/** Everything that is mounted, outer folders before what is inside of them. */
export function podVolumes(
  work: ResolvedWork,
  { files }: FilledProvider,
  names: ConfigMapNames,
): Found<Mounted, Refused> {
  const volumes: Volume[] = []
  const mounts: Mount[] = []
  const add = (volume: Volume, ...at: readonly Omit<Mount, 'name'>[]) => {
    volumes.push(volume)
    mounts.push(...at.map((mount) => ({ name: volume.name, ...mount })))
  }
  for (const volume of work.workload.volumes ?? []) {
    add(workloadVolume(volume), mountOf(volume))
  }
  if (!mounts.some(({ mountPath }) => plainPath(mountPath) === WORKSPACE)) {
    add({ name: 'agents-workspace', emptyDir: {} }, { mountPath: WORKSPACE })
  }
  add(
    { name: 'agents-spec', configMap: { name: names.spec } },
    file(RUN_SPEC_PATH, 'run.json'),
    file(RUNNER_SPEC_PATH, 'agent-runner.json'),
    ...(work.systemPrompt?.kind === 'inline' ? [file(SYSTEM_PROMPT_PATH, SYSTEM_PROMPT_FILE)] : []),
  )
  if (files.length > 0) {
    const places = files.map(({ path }, index) => file(path, inputKey(index)))
    add({ name: 'agents-inputs', configMap: { name: names.inputs } }, ...places)
  }
  addSystemPrompt(work, add)
  addCredentials(work, add)
  const problem = clash(volumes, mounts)
  if (problem !== undefined) return refused('InvalidRuntimeConfig', problem)
  return found({
    volumes,
    mounts: mounts.toSorted((a, b) => depth(a.mountPath) - depth(b.mountPath)),
  })
}

/** Of an input file in its ConfigMap: paths are no names of keys. */
export function inputKey(index: number): string {
  return `input-${index}`
}

type Add = (volume: Volume, ...at: readonly Omit<Mount, 'name'>[]) => void

function file(mountPath: string, subPath: string) {
  return { mountPath, subPath, readOnly: true }
}

function workloadVolume(volume: NonNullable<Workload['volumes']>[number]): Volume {
  const { type, name, claimName, secretName, sizeLimit, medium, readOnly } = volume
  switch (type) {
    case 'emptyDir':
      return { name, emptyDir: { ...(sizeLimit && { sizeLimit }), ...(medium && { medium }) } }
    case 'pvc':
      return { name, persistentVolumeClaim: { claimName, ...(readOnly && { readOnly }) } }
    case 'secret':
      return { name, secret: { secretName } }
  }
}

function mountOf({ mountPath, readOnly }: NonNullable<Workload['volumes']>[number]) {
  return { mountPath, ...(readOnly !== undefined && { readOnly }) }
}

function addSystemPrompt({ systemPrompt }: ResolvedWork, add: Add): void {
  if (systemPrompt === undefined || systemPrompt.kind === 'inline') return
  const { kind, name, key } = systemPrompt
  const items = [{ key, path: SYSTEM_PROMPT_FILE }]
  const source =
    kind === 'Secret' ? { secret: { secretName: name, items } } : { configMap: { name, items } }
  add({ name: 'agents-system-prompt', ...source }, file(SYSTEM_PROMPT_PATH, SYSTEM_PROMPT_FILE))
}

/** For its user alone; a key that others may read is refused by ssh. */
const PRIVATE = 0o400

function addCredentials({ authSecret, vcs }: ResolvedWork, add: Add): void {
  if (authSecret !== undefined) {
    const { name, key, mountPath } = authSecret
    // Programs write beside their credentials, so that the folder itself is not the Secret's.
    add({ name: 'agents-auth-home', emptyDir: {} }, { mountPath })
    add({ name: 'agents-auth', ...secretFile(name, key) }, file(`${mountPath}/${key}`, key))
  }
  if (vcs?.auth.kind !== 'ssh') return
  const { secret, knownHosts } = vcs.auth
  add(
    { name: 'agents-vcs-ssh', ...secretFile(secret.name, secret.key, PRIVATE) },
    { mountPath: SSH_FOLDER, readOnly: true },
  )
  if (knownHosts === undefined) return
  const { name, key } = knownHosts
  add(
    { name: 'agents-vcs-known-hosts', configMap: { name, items: [{ key, path: key }] } },
    { mountPath: KNOWN_HOSTS_FOLDER, readOnly: true },
  )
}

function secretFile(secretName: string, key: string, defaultMode?: number) {
  const items = [{ key, path: key }]
  return { secret: { secretName, items, ...(defaultMode !== undefined && { defaultMode }) } }
}

function clash(volumes: readonly Volume[], mounts: readonly Mount[]): string | undefined {
  const names = volumes.map(({ name }) => name)
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin !== undefined) return `workload.volumes: the name ${twin} is taken by the platform`
  const paths = mounts.map(({ mountPath }) => plainPath(mountPath))
  const taken = paths.find((path, index) => paths.indexOf(path) !== index)
  if (taken !== undefined) {
    return `two things are to be at ${taken}; move one of the workload's volumes or the provider's input files`
  }
  const odd = paths.find((path) => path.includes(':') || path === '/')
  return odd === undefined ? undefined : `nothing can be mounted at ${odd}`
}

function plainPath(path: string): string {
  return posix.resolve('/', path)
}

function depth(path: string): number {
  return plainPath(path).split('/').length
}
