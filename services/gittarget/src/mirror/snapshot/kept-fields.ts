import { readManifest } from '../../document/change-file.ts'
import { withFieldsOf } from '../../document/ignored-fields.ts'
import type { DesiredManifest } from './desired-state.ts'

/** The manifest with the values that the file has in the fields that the target ignores. */
export function withIgnoredFields(
  manifest: DesiredManifest,
  text: string,
  impliesNamespace: boolean,
): DesiredManifest {
  const { identity, ignoredFields } = manifest
  if (ignoredFields.length === 0) return manifest
  const current = readManifest(text, identity, impliesNamespace)
  if (current === undefined) return manifest
  return { ...manifest, object: withFieldsOf(manifest.object, current, ignoredFields) }
}
