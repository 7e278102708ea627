import type { Definition, DefinitionCondition } from './definition.ts'

const approvalAnnotation = 'api-approved.kubernetes.io'

/** The condition of a definition in a group of the Kubernetes project; undefined for other groups. */
export function apiApproval(definition: Definition, time: string): DefinitionCondition | undefined {
  const { group } = definition.spec
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) return undefined
  const type = 'KubernetesAPIApprovalPolicyConformant'
  const value = definition.metadata.annotations?.[approvalAnnotation] ?? ''
  const found = (status: 'True' | 'False', reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime: time,
  })
  if (value === '') {
    const link = 'https://github.com/kubernetes/enhancements/pull/1111'
    const message = `protected groups must have approval annotation "${approvalAnnotation}", see ${link}`
    return found('False', 'MissingAnnotation', message)
  }
  if (value.startsWith('unapproved')) {
    return found('False', 'UnapprovedAnnotation', `not approved: ${JSON.stringify(value)}`)
  }
  return found('True', 'ApprovedAnnotation', `approved in ${value}`)
}
