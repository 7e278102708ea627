import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { parseCertificateRequest } from '../../../auth/pki/certificate-request.ts'
import { secondsTimestamp } from '../../../metadata/timestamps.ts'
import type { Strategy } from '../../../registry/strategy.ts'
import { forbiddenValue } from '../../../status/field-errors.ts'
import { type Fields, ownPart, part, parts, text } from '../../fields.ts'
import type { BuiltinObject, KindRules } from '../../strategy/kind-rules.ts'
import { certificateErrors, conditionErrors, specErrors } from './request-errors.ts'

/** Conditions that are set through `approval` only, and never removed. */
const approvalTypes = ['Approved', 'Denied'] as const
const finalTypes = [...approvalTypes, 'Failed'] as const

export const certificateRequestRules: KindRules = {
  nameRule: () => [],
  resets: [['spec'], ['status']],
  checksEnums: true,
  prepareForCreate(request, { user }) {
    const spec = ownPart(request, 'spec')
    // The requester is who sends the request, whatever its body says.
    for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name]
    spec.username = user.name
    if (user.uid !== undefined && user.uid !== '') spec.uid = user.uid
    if (user.groups.length > 0) spec.groups = [...user.groups]
    if (user.extra !== undefined && Object.keys(user.extra).length > 0) {
      spec.extra = structuredClone(user.extra)
    }
    request.status = {}
  },
  prepareForUpdate(next, old) {
    next.spec = old.spec
  },
  validate: (request) => [
    ...specErrors(part(request, 'spec')),
    ...conditionErrors(parts(part(request, 'status'), 'conditions')),
    ...certificateErrors(text(part(request, 'status'), 'certificate')),
  ],
  selectable: { 'spec.signerName': (request) => text(part(request, 'spec'), 'signerName') },
}

type View = 'approval' | 'status'

/** The strategy of the subresources: `approval` writes the decision, `status` the certificate and other conditions. */
export function certificateRequestView(main: Strategy, view: View): Strategy {
  return {
    ...main,
    allowCreateOnUpdate: false,
    resetFields: [
      ['spec'],
      view === 'approval' ? ['status', 'certificate'] : ['status', 'conditions'],
    ],
    prepareForUpdate(given, before, { now }) {
      const next = given as BuiltinObject
      const old = before as BuiltinObject
      if (view === 'status') keepApproval(next, old)
      setTimes(next, old, secondsTimestamp(now))
      next.spec = old.spec
      if (view === 'status') return
      const { conditions } = part(next, 'status')
      const { conditions: _conditions, ...status } = part(old, 'status')
      next.status = conditions === undefined ? status : { ...status, conditions }
    },
    validateUpdate: (next, old, context) => [
      ...main.validateUpdate(next, old, context),
      ...changeErrors(next as BuiltinObject, old as BuiltinObject, view),
    ],
    warnings: () => [],
  }
}

function conditionsOf(request: BuiltinObject, type: string): Fields[] {
  return parts(part(request, 'status'), 'conditions').filter((one) => text(one, 'type') === type)
}

/** Keeps the decision as it is, so that a signer need not repeat it exactly. */
function keepApproval(next: BuiltinObject, old: BuiltinObject): void {
  const conditions = parts(part(next, 'status'), 'conditions')
  for (const type of approvalTypes) {
    const before = conditionsOf(old, type)
    if (before.length !== conditionsOf(next, type).length) continue
    for (const [index, condition] of conditions.entries()) {
      if (text(condition, 'type') === type) conditions[index] = before.shift() ?? condition
    }
  }
  if (conditions.length > 0) next.status = { ...part(next, 'status'), conditions }
}

function setTimes(next: BuiltinObject, old: BuiltinObject, now: string): void {
  const conditions = parts(part(next, 'status'), 'conditions').map((condition) => {
    const same = conditionsOf(old, text(condition, 'type')).find(
      (one) => one.status === condition.status && text(one, 'lastTransitionTime') !== '',
    )
    return {
      ...condition,
      lastUpdateTime: text(condition, 'lastUpdateTime') || now,
      lastTransitionTime:
        text(condition, 'lastTransitionTime') || (same && text(same, 'lastTransitionTime')) || now,
    }
  })
  if (conditions.length > 0) next.status = { ...part(next, 'status'), conditions }
}

function changeErrors(next: BuiltinObject, old: BuiltinObject, view: View): FieldError[] {
  const errors: FieldError[] = []
  const path = 'status.conditions'
  for (const type of finalTypes) {
    if (conditionsOf(next, type).length >= conditionsOf(old, type).length) continue
    errors.push(forbiddenValue(path, `updates may not remove a condition of type "${type}"`))
  }
  if (view === 'status') {
    for (const type of approvalTypes) {
      const [after, before] = [conditionsOf(next, type), conditionsOf(old, type)]
      if (after.length > before.length) {
        errors.push(forbiddenValue(path, `updates may not add a condition of type "${type}"`))
      } else if (after.length === before.length && !sameJson(after, before)) {
        errors.push(forbiddenValue(path, `updates may not modify a condition of type "${type}"`))
      }
    }
  }
  const before = text(part(old, 'status'), 'certificate')
  if (text(part(next, 'status'), 'certificate') !== before && before !== '') {
    const why = 'updates may not modify existing certificate content'
    errors.push(forbiddenValue('status.certificate', why))
  }
  return errors
}

/** The request in a CertificateSigningRequest. Throws if it cannot be parsed. */
export function requestOf(object: BuiltinObject) {
  const encoded = text(part(object, 'spec'), 'request')
  return parseCertificateRequest(Buffer.from(encoded, 'base64').toString('latin1'))
}
