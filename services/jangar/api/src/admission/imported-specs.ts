import { type AdmissionPolicy, celString, deniesUnless, writesOf } from '@agents/crd'
import { implementationSpec } from '../agents/implementation-spec/kind.ts'
import { isPlatform } from './requested-by.ts'
import { onlyPlatformSets, triggerMetadata } from './triggered-by.ts'

const domain = 'agents.proompteng.ai'

/** On ImplementationSpecs that an ImplementationSource imported: which source made them. */
export const importMetadata = {
  labels: { source: triggerMetadata.labels.source, provider: `${domain}/source-provider` },
  annotations: {
    /** The UID of the source. */
    sourceUid: `${domain}/implementation-source-uid`,
  },
} as const

const label = celString(importMetadata.labels.source)
const wasImported = `(request.operation == 'UPDATE' && has(oldObject.metadata.labels) && ${label} in oldObject.metadata.labels)`

/** A list, so that two objects can be compared of which one has none. */
function originIn(object: string): string {
  return `(has(${object}.spec) && has(${object}.spec.source) ? [${object}.spec.source] : [])`
}

/**
 * Triggers start runs for an imported spec in the name of people of the issue tracker, reports about it are written
 * with the credential of the source, and closing it cancels runs. Whoever may write specs could otherwise do all that.
 */
export const guardImportedSpec: AdmissionPolicy = {
  name: `imported.${implementationSpec.group}`,
  description:
    'Protects the labels and annotations of an ImplementationSpec that say which source imported it, and the issue that an imported one is about: only the platform sets and changes them.',
  appliesTo: 'managedNamespaces',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([implementationSpec]),
    ...deniesUnless([
      ...onlyPlatformSets(importMetadata),
      {
        expression: `${isPlatform} || !${wasImported} || ${originIn('object')} == ${originIn('oldObject')}`,
        message: 'spec.source: only the platform changes that of an imported ImplementationSpec',
        reason: 'Forbidden',
      },
    ]),
  },
}
