import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PersistentVolumeClaim, Pod } from '@agents/kube'
import { makeInside, segmentsOf } from '../folder/inside.ts'
import { type PodFolder, type StateFolder, safeName } from '../folder/pod-folder.ts'
import { ConfigError } from '../pod/config-error.ts'
import { type FileContext, isSecret, type VolumeFile, volumeFiles } from './volume-files.ts'
import type { VolumeSources } from './volume-source.ts'

/** A volume as it lies on this machine. */
export interface PreparedVolume {
  readonly path: string
  /** Containers may write into it, so a sub-path that is not there is made. */
  readonly isWritable: boolean
  /** Folders in which the paths of this volume must really lie. */
  readonly allowed: readonly string[]
  /** Users other than ours come there by a mount of it alone, so nobody is kept out. */
  readonly isOpen: boolean
}

export interface VolumeContext extends FileContext {
  readonly state: StateFolder
  /** Runs containers as whomever their pods say. */
  readonly engine: object | undefined
  readonly folder: PodFolder
  /** Told of a claim that a pod has begun to use. */
  readonly claimed: (claim: PersistentVolumeClaim) => Promise<void>
}

/** Makes the pod's volumes, by name. Harmless to repeat: what is there already stays as it is. */
export async function prepareVolumes(
  pod: Pod,
  context: VolumeContext,
): Promise<ReadonlyMap<string, PreparedVolume>> {
  mkdirSync(context.folder.path, { recursive: true, mode: 0o700 })
  const prepared = new Map<string, PreparedVolume>()
  for (const volume of pod.spec.volumes ?? []) {
    prepared.set(volume.name, await prepareVolume(volume.name, volume as VolumeSources, context))
  }
  return prepared
}

async function prepareVolume(
  name: string,
  source: VolumeSources,
  context: VolumeContext,
): Promise<PreparedVolume> {
  const { folder } = context
  if (source.hostPath !== undefined) return hostPath(source.hostPath)
  if (source.persistentVolumeClaim !== undefined) {
    return claimed(source.persistentVolumeClaim, context)
  }
  if (source.emptyDir !== undefined) {
    const parent = source.emptyDir.medium === 'Memory' ? folder.secrets : folder.volumes
    const path = join(parent, safeName(name))
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return opened({ path, isWritable: true, allowed: [path] }, context)
  }
  const secret = isSecret(source)
  const path = join(secret ? folder.secrets : folder.volumes, safeName(name))
  const marker = join(folder.path, `volume.${safeName(name)}`)
  const prepared = { path, isWritable: false, allowed: [path], isOpen: isOpen(context) }
  if (existsSync(marker) && existsSync(path)) return prepared
  const files = await volumeFiles(source, context)
  if (files === undefined) {
    const [sort = 'nothing'] = Object.keys(source).filter((key) => key !== 'name')
    const problem = `volume ${name}: the local node has no volumes of the sort ${sort}`
    throw new ConfigError(problem, 'ContainerCreating')
  }
  // What is left of an interrupted try may be what the object held then.
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  for (const file of files) await write(path, file, modeOf(file, secret, context))
  opened(prepared, context)
  writeFileSync(marker, '', { mode: 0o600 })
  return prepared
}

function isOpen({ engine }: VolumeContext): boolean {
  return engine !== undefined
}

/** The folder above is ours alone, so this lets nobody in but those for whom the volume is mounted. */
function opened(volume: Omit<PreparedVolume, 'isOpen'>, context: VolumeContext): PreparedVolume {
  if (isOpen(context) && isAsMade(volume.path)) chmodSync(volume.path, 0o777)
  return { ...volume, isOpen: isOpen(context) }
}

/** A container may have given the folder to another user since, whom we could not even take it from, or have closed it: so it stays. */
function isAsMade(path: string): boolean {
  const { uid, mode } = statSync(path)
  return uid === process.getuid?.() && (mode & 0o777) === 0o700
}

/**
 * Of a secret nobody but the owner gets anything, whatever mode was asked for, unless it is seen through a mount only. Files are not
 * given to the group that a pod wants for them: everybody who sees them through the mount may read them instead.
 */
function modeOf({ mode }: VolumeFile, secret: boolean, context: VolumeContext): number {
  if (!isOpen(context)) return secret ? mode & 0o700 : mode & 0o777
  const hasGroup = context.pod.spec.securityContext?.fsGroup !== undefined
  return (mode & 0o777) | (hasGroup ? 0o444 : 0)
}

async function write(volume: string, file: VolumeFile, mode: number): Promise<void> {
  const segments = segmentsOf(file.path)
  const name = segments.pop()
  if (name === undefined) throw new ConfigError(`${JSON.stringify(file.path)} is no path of a file`)
  const folder = await makeInside(volume, segments, [volume])
  const path = join(folder, name)
  rmSync(path, { force: true })
  writeFileSync(path, file.content, { mode: 0o600, flag: 'wx' })
  chmodSync(path, mode)
}

async function claimed(
  { claimName, readOnly = false }: { claimName: string; readOnly?: boolean },
  context: VolumeContext,
): Promise<PreparedVolume> {
  const { objects, state, claimed: tell } = context
  const claim = await objects.claim(claimName)
  if (claim === undefined) {
    throw new ConfigError(`persistentvolumeclaim "${claimName}" not found`, 'ContainerCreating')
  }
  const path = state.claim(claim.metadata.uid ?? '')
  await mkdir(path, { recursive: true, mode: 0o700 })
  await tell(claim)
  return opened({ path, isWritable: !readOnly, allowed: [path] }, context)
}

async function hostPath({ path, type = '' }: { path: string; type?: string }) {
  if (type === 'DirectoryOrCreate') await mkdir(path, { recursive: true })
  if (type === 'FileOrCreate') await writeFile(path, '', { flag: 'a' })
  const found = await stat(path).catch(() => undefined)
  const isWrong =
    (type === 'Directory' && found?.isDirectory() !== true) ||
    (type === 'File' && found?.isFile() !== true)
  if (found === undefined || isWrong) {
    throw new ConfigError(
      `hostPath ${path} is not there or no ${type || 'path'}`,
      'ContainerCreating',
    )
  }
  return { path, isWritable: found.isDirectory(), allowed: [path], isOpen: false }
}
