import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PersistentVolumeClaim, Pod } from '@agents/kube'
import { makeInside, segmentsOf } from '../folder/inside.ts'
import { type PodFolder, type StateFolder, safeName } from '../folder/pod-folder.ts'
import { ConfigError } from '../pod-config/config-error.ts'
import { requestsUsers } from '../pod-config/container-user.ts'
import { type FileContext, isSecret, type VolumeFile, volumeFiles } from './volume-files.ts'
import type { VolumeSources } from './volume-source.ts'

/** A volume on this machine. */
export interface PreparedVolume {
  readonly path: string
  /** Whether containers may write to it. If so, a missing subPath is created. */
  readonly isWritable: boolean
  /** Folders that must contain the real paths of this volume. */
  readonly allowed: readonly string[]
  /** Whether other users may access it. They reach it only by a mount. */
  readonly isOpen: boolean
}

export interface VolumeContext extends FileContext {
  readonly state: StateFolder
  /** Set if an engine runs containers, as the users that their pods request. */
  readonly engine: object | undefined
  /** Set if processes run as the users that their pods request. */
  readonly ownUsers: object | undefined
  readonly folder: PodFolder
  /** Called when a pod starts to use a claim. */
  readonly claimed: (claim: PersistentVolumeClaim) => Promise<void>
}

/** Creates the pod's volumes, by name. May be repeated: existing volumes are kept. */
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
    const [type = 'none'] = Object.keys(source).filter((key) => key !== 'name')
    const problem = `volume ${name} is of type ${type}, which the local node does not support`
    throw new ConfigError(problem, 'ContainerCreating')
  }
  // An interrupted attempt may have left outdated content.
  rmSync(path, { recursive: true, force: true })
  mkdirSync(path, { recursive: true, mode: 0o700 })
  for (const file of files) await write(path, file, modeOf(file, secret, context))
  opened(prepared, context)
  writeFileSync(marker, '', { mode: 0o600 })
  return prepared
}

function isOpen({ engine, ownUsers, pod }: VolumeContext): boolean {
  return engine !== undefined || (ownUsers !== undefined && requestsUsers(pod))
}

/** The parent folder is private, so this grants access only to containers that mount the volume. */
function opened(volume: Omit<PreparedVolume, 'isOpen'>, context: VolumeContext): PreparedVolume {
  if (isOpen(context) && isAsMade(volume.path)) chmodSync(volume.path, 0o777)
  return { ...volume, isOpen: isOpen(context) }
}

/**
 * Whether the folder still has its original owner and mode. A container may have changed them since, and then they
 * are kept.
 */
function isAsMade(path: string): boolean {
  const { uid, mode } = statSync(path)
  return uid === process.getuid?.() && (mode & 0o777) === 0o700
}

/**
 * Files of a Secret are readable by the owner only, whatever mode was requested, unless they are reached only through
 * a mount. Files do not get the group of the pod: everyone who reaches them through the mount may read them instead.
 */
function modeOf({ mode }: VolumeFile, secret: boolean, context: VolumeContext): number {
  if (!isOpen(context)) return secret ? mode & 0o700 : mode & 0o777
  const hasGroup = context.pod.spec.securityContext?.fsGroup !== undefined
  return (mode & 0o777) | (hasGroup ? 0o444 : 0)
}

async function write(volume: string, file: VolumeFile, mode: number): Promise<void> {
  const segments = segmentsOf(file.path)
  const name = segments.pop()
  if (name === undefined)
    throw new ConfigError(`${JSON.stringify(file.path)} is not a valid file path`)
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
  const { objects, state, claimed: onClaim } = context
  const claim = await objects.claim(claimName)
  if (claim === undefined) {
    throw new ConfigError(`persistentvolumeclaim "${claimName}" not found`, 'ContainerCreating')
  }
  // Like a kubelet; otherwise, new pods could delay the deletion of the claim forever.
  if (claim.metadata.deletionTimestamp !== undefined) {
    const message = `persistentvolumeclaim "${claimName}" is being deleted`
    throw new ConfigError(message, 'ContainerCreating')
  }
  const path = state.claim(claim.metadata.uid ?? '')
  await mkdir(path, { recursive: true, mode: 0o700 })
  await onClaim(claim)
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
      `hostPath ${path} does not exist or is not of type ${type || 'path'}`,
      'ContainerCreating',
    )
  }
  return { path, isWritable: found.isDirectory(), allowed: [path], isOpen: false }
}
