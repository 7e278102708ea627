import { posix } from 'node:path'
import type { Container, Volume } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { skillMount } from '../../../../run-contract/skill.ts'
import { type Found, found, refused } from '../resolve/problem.ts'
import type { Refused, ResolvedWork, Workload } from '../resolve/resolution.ts'
import { mountedSkills } from '../resolve/skills.ts'
import type { DocumentDelivery } from './attempt-documents.ts'
import type { FilledProvider } from './filled-provider.ts'
import { skillVolume, systemPromptVolume, type VerifiedVolume } from './mapped-volumes.ts'
import type { RepositoryContainers } from './repository-containers.ts'
import { systemPromptFile, systemPromptPath } from './system-prompt-path.ts'

export const specVolumeName = 'agents-spec'
export const inputsVolumeName = 'agents-inputs'

/** Where the agent's container has the files of the first of these volumes. */
export const specPaths: Readonly<Record<string, string>> = {
  'run.json': podPaths.runSpec,
  'agent-runner.json': podPaths.runnerSpec,
  [systemPromptFile]: systemPromptPath,
}

export type Mount = NonNullable<Container['volumeMounts']>[number]

export interface Mounted {
  readonly volumes: Volume[]
  readonly mounts: Mount[]
}

/** The volumes of the pod, and the mounts of the agent's container, parent directories first. */
export function podVolumes(
  work: ResolvedWork,
  { files }: FilledProvider,
  documents: Pick<DocumentDelivery, 'specVolume' | 'inputsVolume'>,
  beside: readonly Pick<RepositoryContainers, 'volumes' | 'agentMounts'>[] = [],
  upload?: Volume,
  /** Volumes whose files are copied from ConfigMaps once they are verified. */
  copied: readonly Pick<VerifiedVolume, 'volume'>[] = [],
): Found<Mounted, Refused> {
  const chosen = [...(work.workload.volumes ?? []).map(({ mountPath }) => mountPath)]
  const taken = [...chosen, ...files.map(({ path }) => path)].find(isReserved)
  if (taken !== undefined) {
    return refused(
      'InvalidRuntimeConfig',
      `nothing can be mounted at ${taken}: the path is reserved for the platform`,
    )
  }
  const volumes: Volume[] = []
  const mounts: Mount[] = []
  const add = (volume: Volume, ...at: readonly Omit<Mount, 'name'>[]) => {
    const isCopied = copied.some((one) => one.volume === volume.name)
    volumes.push(isCopied ? { name: volume.name, emptyDir: {} } : volume)
    mounts.push(...at.map((mount) => ({ name: volume.name, ...mount })))
  }
  for (const volume of work.workload.volumes ?? []) {
    add(workloadVolume(volume), mountOf(volume))
  }
  if (!mounts.some(({ mountPath }) => plainPath(mountPath) === podPaths.workspace)) {
    add({ name: 'agents-workspace', emptyDir: {} }, { mountPath: podPaths.workspace })
  }
  add(
    { name: specVolumeName, ...documents.specVolume },
    file(podPaths.runSpec, 'run.json'),
    file(podPaths.runnerSpec, 'agent-runner.json'),
    ...(work.systemPrompt?.kind === 'inline' ? [file(systemPromptPath, systemPromptFile)] : []),
  )
  if (files.length > 0) {
    const places = files.map(({ path }, index) => file(path, inputKey(index)))
    add({ name: inputsVolumeName, ...documents.inputsVolume }, ...places)
  }
  addSystemPrompt(work, add)
  for (const [index, { name, configMap }] of mountedSkills(work.agent, work.provider).entries()) {
    const volume = { name: skillVolume(index), configMap: { name: configMap } }
    add(volume, { mountPath: skillMount(name), readOnly: true })
  }
  addCredentials(work, add)
  if (upload !== undefined) add(upload, { mountPath: podPaths.upload, readOnly: true })
  for (const other of beside) {
    volumes.push(...other.volumes)
    mounts.push(...other.agentMounts)
  }
  const problem = clash(volumes, mounts)
  if (problem !== undefined) return refused('InvalidRuntimeConfig', problem)
  return found({
    volumes,
    mounts: mounts.toSorted((a, b) => depth(a.mountPath) - depth(b.mountPath)),
  })
}

/** The name of an input file in its volume. Paths are not valid keys of ConfigMaps and annotations. */
export function inputKey(index: number): string {
  return `input-${index}`
}

type Add = (volume: Volume, ...at: readonly Omit<Mount, 'name'>[]) => void

function file(mountPath: string, subPath: string) {
  return { mountPath, subPath, readOnly: true }
}

function workloadVolume(volume: NonNullable<Workload['volumes']>[number]): Volume {
  const { type, name, claimName, secretName, workspaceName, sizeLimit, medium, readOnly } = volume
  switch (type) {
    case 'emptyDir':
      return { name, emptyDir: { ...(sizeLimit && { sizeLimit }), ...(medium && { medium }) } }
    case 'pvc':
      return { name, persistentVolumeClaim: { claimName, ...(readOnly && { readOnly }) } }
    case 'workspace':
      return {
        name,
        persistentVolumeClaim: { claimName: workspaceName, ...(readOnly && { readOnly }) },
      }
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
  const items = [{ key, path: systemPromptFile }]
  const source =
    kind === 'Secret' ? { secret: { secretName: name, items } } : { configMap: { name, items } }
  add({ name: systemPromptVolume, ...source }, file(systemPromptPath, systemPromptFile))
}

function addCredentials({ authSecret }: ResolvedWork, add: Add): void {
  if (authSecret !== undefined) {
    const { name, key, mountPath } = authSecret
    // Programs write files next to their credentials, so the directory is writable and only the file comes from the
    // Secret.
    add({ name: 'agents-auth-home', emptyDir: {} }, { mountPath })
    add({ name: 'agents-auth', ...secretFile(name, key) }, file(`${mountPath}/${key}`, key))
  }
}

export function secretFile(secretName: string, key: string, defaultMode?: number) {
  const items = [{ key, path: key }]
  return { secret: { secretName, items, ...(defaultMode !== undefined && { defaultMode }) } }
}

function clash(volumes: readonly Volume[], mounts: readonly Mount[]): string | undefined {
  const names = volumes.map(({ name }) => name)
  const twin = names.find((name, index) => names.indexOf(name) !== index)
  if (twin !== undefined) return `workload.volumes: the name ${twin} is reserved for the platform`
  const paths = mounts.map(({ mountPath }) => plainPath(mountPath))
  const taken = paths.find((path, index) => paths.indexOf(path) !== index)
  if (taken !== undefined) {
    return `two volumes or input files have the path ${taken}; change workload.volumes or the inputFiles of the AgentProvider`
  }
  const odd = paths.find((path) => path.includes(':') || path === '/')
  return odd === undefined ? undefined : `nothing can be mounted at ${odd}`
}

/**
 * Where the platform mounts the repository fetched by `checkout`, the publisher's socket and credentials. In most
 * images, /var/run is a link to /run.
 */
const reserved = [
  '/var/run/agents',
  '/run/agents',
  '/var/run/secrets/agents',
  '/run/secrets/agents',
]

function isReserved(path: string): boolean {
  return reserved.some((folder) => `${plainPath(path)}/`.startsWith(`${folder}/`))
}

function plainPath(path: string): string {
  return posix.resolve('/', path)
}

function depth(path: string): number {
  return plainPath(path).split('/').length
}
