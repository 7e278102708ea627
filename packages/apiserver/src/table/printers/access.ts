import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { ageColumn, column, integerColumn, nameColumn, printer, wideColumn } from '../printer.ts'
import { type LabelSelector, selectorText } from '../selector-text.ts'

interface Binding extends KubeObject {
  roleRef?: { kind?: string; name?: string }
  subjects?: readonly { kind: string; name: string; namespace?: string }[]
}

interface WebhookConfiguration extends KubeObject {
  webhooks?: readonly object[]
}

interface AdmissionPolicy extends KubeObject {
  spec?: {
    validations?: readonly object[]
    mutations?: readonly object[]
    paramKind?: { apiVersion?: string; kind?: string }
  }
}

interface AdmissionPolicyBinding extends KubeObject {
  spec?: {
    policyName?: string
    paramRef?: { name?: string; namespace?: string; selector?: LabelSelector }
  }
}

export const bindingPrinter = printer<Binding>(
  [
    nameColumn,
    column('Role'),
    ageColumn,
    wideColumn('Users'),
    wideColumn('Groups'),
    wideColumn('ServiceAccounts'),
  ],
  ({ metadata, roleRef, subjects = [] }, now) => {
    const ofKind = (kind: string) => subjects.filter((subject) => subject.kind === kind)
    const names = (kind: string): string =>
      ofKind(kind)
        .map(({ name }) => name)
        .join(', ')
    return [
      metadata.name,
      `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`,
      age(metadata.creationTimestamp, now),
      names('User'),
      names('Group'),
      ofKind('ServiceAccount')
        .map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : name))
        .join(', '),
    ]
  },
)

export const webhookConfigurationPrinter = printer<WebhookConfiguration>(
  [nameColumn, integerColumn('Webhooks'), ageColumn],
  ({ metadata, webhooks }, now) => [
    metadata.name,
    webhooks?.length ?? 0,
    age(metadata.creationTimestamp, now),
  ],
)

export const validatingPolicyPrinter = printer<AdmissionPolicy>(
  [nameColumn, integerColumn('Validations'), column('ParamKind'), ageColumn],
  (policy, now) => [
    policy.metadata.name,
    policy.spec?.validations?.length ?? 0,
    parameterKind(policy),
    age(policy.metadata.creationTimestamp, now),
  ],
)

export const mutatingPolicyPrinter = printer<AdmissionPolicy>(
  [nameColumn, integerColumn('Mutations'), column('ParamKind'), ageColumn],
  (policy, now) => [
    policy.metadata.name,
    policy.spec?.mutations?.length ?? 0,
    parameterKind(policy),
    age(policy.metadata.creationTimestamp, now),
  ],
)

export const policyBindingPrinter = printer<AdmissionPolicyBinding>(
  [nameColumn, column('PolicyName'), column('ParamRef'), ageColumn],
  ({ metadata, spec }, now) => [
    metadata.name,
    spec?.policyName ?? '',
    parameterReference(spec?.paramRef),
    age(metadata.creationTimestamp, now),
  ],
)

function parameterKind({ spec }: AdmissionPolicy): string {
  const kind = spec?.paramKind
  return kind === undefined ? '<unset>' : `${kind.apiVersion ?? ''}/${kind.kind ?? ''}`
}

function parameterReference(
  reference: NonNullable<AdmissionPolicyBinding['spec']>['paramRef'],
): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`
  return reference?.selector === undefined ? '<unset>' : selectorText(reference.selector)
}
