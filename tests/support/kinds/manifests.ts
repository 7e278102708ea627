import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyKind, Json } from '@agents/crd'
import { kinds as gitTargetKinds } from '@agents/gittarget-api'
import { kinds as agentsKinds } from '@agents/jangar-api'
import { parse } from 'yaml'

export const kinds: readonly AnyKind[] = [...agentsKinds, ...gitTargetKinds]

export interface Manifest {
  readonly file: string
  readonly object: { [key: string]: Json }
  /** Comment lines of the document, without their `#`. */
  readonly comment: string
}

const root = join(import.meta.dirname, '../../..')

/** Every document of every file that matches, in order. */
export function readManifests(pattern: string): Manifest[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .flatMap((file) => readDocuments(file))
}

export function kindOf(object: { [key: string]: Json }): AnyKind | undefined {
  return kinds.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  )
}

function readDocuments(file: string): Manifest[] {
  return readFileSync(join(root, file), 'utf8')
    .split(/^---$/m)
    .map((text) => ({
      file,
      object: parse(text),
      comment: text
        .split('\n')
        .filter((line) => line.startsWith('#'))
        .map((line) => line.slice(1).trim())
        .join('\n'),
    }))
}
