import { type AdmissionPolicy, writesOf } from '@agents/crd'
import { secretBinding } from '../security/secret-binding/kind.ts'
import { mayGetNamed } from './run-secrets.ts'

function listed(root: string, field: string): string {
  const path = `${root}.spec.${field}`
  return `(has(${root}.spec) && has(${path}) ? ${path} : [])`
}

/** What the binding allowed before to the same subjects. Other subjects get everything as new. */
const before = `(request.operation == 'UPDATE' && ${listed('object', 'subjects')} == ${listed('oldObject', 'subjects')} ? ${listed('oldObject', 'allowedSecrets')} : [])`

/**
 * Nobody can allow runs more than they may read themselves, as RBAC has it for rights: else whoever may write bindings
 * would reach every Secret of the namespace with a run of their own.
 */
export const secretBindingPolicy: AdmissionPolicy = {
  name: `${secretBinding.plural}.${secretBinding.group}`,
  description:
    'The author of a SecretBinding must be allowed to get the Secrets that it newly allows.',
  appliesTo: 'everywhere',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([secretBinding]),
    ...mayGetNamed(
      `${listed('object', 'allowedSecrets')}.filter(name, !(name in ${before}))`,
      ', which the binding would allow',
    ),
  },
}
