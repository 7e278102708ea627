import { chmodSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Container } from '@agents/kube'
import { expand } from '../environment/expand.ts'
import { absolutePath, insideOf, makeInside, segmentsOf } from '../folder/inside.ts'
import { entryExists } from '../folder/path-exists.ts'
import { ConfigError } from '../pod-config/config-error.ts'
import type { PreparedVolume } from '../volume/prepare-volumes.ts'

export interface ResolvedMount {
  /** Path in the container. */
  readonly mountPath: string
  /** Path on this machine. */
  readonly source: string
  readonly isFolder: boolean
  readonly readOnly: boolean
}

type VolumeMount = NonNullable<Container['volumeMounts']>[number] & { subPathExpr?: string }

/** The mounts of a container, outer mounts before inner ones. */
export async function resolveMounts(
  container: Container,
  volumes: ReadonlyMap<string, PreparedVolume>,
  environment: Readonly<Record<string, string>>,
): Promise<ResolvedMount[]> {
  const mounts: ResolvedMount[] = []
  for (const mount of (container.volumeMounts ?? []) as VolumeMount[]) {
    const volume = volumes.get(mount.name)
    if (volume === undefined)
      throw new ConfigError(
        `volumeMount refers to volume ${mount.name}, which the pod does not define`,
      )
    const mountPath = absolutePath(mount.mountPath)
    if (mountPath === '/') throw new ConfigError('a volume cannot be mounted at /')
    const source = await sourceOf(volume, subPathOf(mount, environment))
    const isFolder = lstatSync(source).isDirectory()
    // Other users must not change files that the node wrote, as on a cluster.
    const readOnly = mount.readOnly === true || (volume.isOpen && !volume.isWritable)
    mounts.push({ mountPath, source, isFolder, readOnly })
  }
  return mounts.sort((a, b) => depth(a.mountPath) - depth(b.mountPath))
}

function subPathOf(
  { subPath = '', subPathExpr }: VolumeMount,
  environment: Readonly<Record<string, string>>,
): string {
  if (subPathExpr === undefined) return subPath
  return expand(subPathExpr, (name) => {
    if (!Object.hasOwn(environment, name)) {
      throw new ConfigError(`subPathExpr ${subPathExpr} uses the undefined variable ${name}`)
    }
    return environment[name]
  })
}

/** A container may have created links in the volume; none of them may lead a mount out of it. */
async function sourceOf(volume: PreparedVolume, subPath: string): Promise<string> {
  const segments = segmentsOf(subPath)
  if (segments.length === 0) return volume.path
  const path = join(volume.path, ...segments)
  if (entryExists(path)) return insideOf(path, volume.allowed)
  if (!volume.isWritable) {
    throw new ConfigError(`subPath ${JSON.stringify(subPath)} does not exist in the volume`)
  }
  const made = await makeInside(volume.path, segments, volume.allowed)
  if (volume.isOpen) chmodSync(made, 0o777)
  return made
}

export function depth(path: string): number {
  return path.split('/').length
}
