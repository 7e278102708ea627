import type { Pod } from '@agents/kube'
import { fieldValue, type NodeFacts, resourceValue } from '../environment/field-value.ts'
import { ConfigError } from '../pod-config/config-error.ts'
import type { PodObjects } from '../pod-config/pod-objects.ts'
import type { DownwardSource, KeyPath, ProjectedSource, VolumeSources } from './volume-source.ts'

export interface VolumeFile {
  /** Relative to the volume. */
  readonly path: string
  readonly content: Buffer
  readonly mode: number
}

export interface FileContext {
  readonly pod: Pod
  readonly objects: PodObjects
  readonly node: NodeFacts
}

const defaultFileMode = 0o644

/** The files of a volume with the content of API objects; undefined for other types of volumes. */
export async function volumeFiles(
  volume: VolumeSources,
  context: FileContext,
): Promise<VolumeFile[] | undefined> {
  const { configMap, secret, downwardAPI, projected } = volume
  if (configMap !== undefined) {
    return projectedFiles({ configMap }, configMap.defaultMode ?? defaultFileMode, context)
  }
  if (secret !== undefined) {
    const { secretName, items, optional, defaultMode = defaultFileMode } = secret
    const source = {
      secret: {
        ...(secretName !== undefined && { name: secretName }),
        ...(items !== undefined && { items }),
        ...(optional !== undefined && { optional }),
      },
    }
    return projectedFiles(source, defaultMode, context)
  }
  if (downwardAPI !== undefined) {
    return projectedFiles({ downwardAPI }, downwardAPI.defaultMode ?? defaultFileMode, context)
  }
  if (projected === undefined) return undefined
  const files: VolumeFile[] = []
  for (const source of projected.sources ?? []) {
    files.push(...(await projectedFiles(source, projected.defaultMode ?? defaultFileMode, context)))
  }
  return files
}

/** Whether other users of the machine must not see its content. */
export function isSecret({ secret, projected }: VolumeSources): boolean {
  if (secret !== undefined) return true
  return (projected?.sources ?? []).some(
    (source) => source.secret !== undefined || source.serviceAccountToken !== undefined,
  )
}

async function projectedFiles(
  { configMap, secret, downwardAPI, serviceAccountToken }: ProjectedSource,
  mode: number,
  context: FileContext,
): Promise<VolumeFile[]> {
  const { objects } = context
  if (configMap !== undefined) {
    const name = configMap.name ?? ''
    const found = await objects.configMap(name)
    if (found === undefined && configMap.optional !== true) {
      throw new ConfigError(`configmap "${name}" not found`, 'ContainerCreating')
    }
    const texts = Object.entries(found?.data ?? {}).map(
      ([key, text]) => [key, Buffer.from(text)] as const,
    )
    return picked([...texts, ...binary(found?.binaryData)], configMap, mode, `configmap "${name}"`)
  }
  if (secret !== undefined) {
    const name = secret.name ?? ''
    const found = await objects.secret(name)
    if (found === undefined && secret.optional !== true) {
      throw new ConfigError(`secret "${name}" not found`, 'ContainerCreating')
    }
    return picked(binary(found?.data), secret, mode, `secret "${name}"`)
  }
  if (downwardAPI !== undefined) return downwardFiles(downwardAPI, mode, context)
  if (serviceAccountToken === undefined) return []
  const { path, ...options } = serviceAccountToken
  return [{ path, mode, content: Buffer.from(await objects.token(options)) }]
}

function binary(data: Readonly<Record<string, string>> = {}): (readonly [string, Buffer])[] {
  return Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')] as const)
}

function picked(
  data: readonly (readonly [string, Buffer])[],
  { items, optional }: { items?: KeyPath[]; optional?: boolean },
  mode: number,
  what: string,
): VolumeFile[] {
  if (items === undefined) return data.map(([path, content]) => ({ path, content, mode }))
  const byKey = new Map(data)
  return items.flatMap((item) => {
    const content = byKey.get(item.key)
    if (content !== undefined) return [{ path: item.path, content, mode: item.mode ?? mode }]
    if (optional === true) return []
    throw new ConfigError(`${what} has no key ${item.key}`, 'ContainerCreating')
  })
}

function downwardFiles(
  { items = [] }: DownwardSource,
  mode: number,
  { pod, node }: FileContext,
): VolumeFile[] {
  return items.map((item) => {
    let text = ''
    if (item.fieldRef !== undefined) text = fieldValue(pod, item.fieldRef.fieldPath, node)
    else if (item.resourceFieldRef !== undefined) {
      const { containerName, ...reference } = item.resourceFieldRef
      const container = pod.spec.containers.find(({ name }) => name === containerName)
      if (container === undefined) throw new ConfigError(`container ${containerName} not found`)
      text = resourceValue(container, reference, node)
    }
    return { path: item.path, content: Buffer.from(text), mode: item.mode ?? mode }
  })
}
