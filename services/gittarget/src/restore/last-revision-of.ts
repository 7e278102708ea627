import { folderPath, revisionBeforeDeletion } from '@agents/git'
import type { GitTarget } from '@agents/gittarget-api'
import { inFolder, manifestPath } from '../document/manifest-path.ts'
import { targetConnection } from '../repository/target-connection.ts'
import type { ReadOptions } from './read-stored-objects.ts'

/** Where the file of an object would be. */
export interface ObjectPlace {
  readonly group: string
  readonly resource: string
  /** Undefined if it may be in any namespace. */
  readonly namespace: string | undefined
  readonly name: string
}

/**
 * The newest commit that has an object whose file was deleted later. Undefined if there is none, or if the target has a
 * layout of its own.
 */
export async function lastRevisionOf(
  places: readonly ObjectPlace[],
  target: GitTarget,
  options: Omit<ReadOptions, 'revision'>,
): Promise<string | undefined> {
  const { spec } = target
  if (spec.pathTemplate !== undefined || places.length === 0) return undefined
  const paths = places.map(({ namespace, ...place }) => {
    const path = manifestPath({ ...place, namespace: namespace ?? 'any' })
    const anywhere = namespace === undefined ? path.replace(/^any\//, '*/') : path
    return inFolder(folderPath(spec.path), anywhere)
  })
  const { connection } = await targetConnection(target, options)
  return revisionBeforeDeletion(paths, { ...options, connection, branch: spec.branch })
}
