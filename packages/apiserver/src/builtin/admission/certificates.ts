import { sameJson } from '@agents/kube'
import { type Authorizer, superusers } from '../../auth/rbac/authorizer.ts'
import { type Admission, type AdmissionAttributes, noAdmission } from '../../rest/admission.ts'
import { forbidden } from '../../status/api-error.ts'
import { part, text } from '../fields.ts'
import { requestOf } from '../kinds/certificates/request-kind.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

const group = 'certificates.k8s.io'
const clientSigner = 'kubernetes.io/kube-apiserver-client'

/** The admission plugins for CertificateSigningRequests. Their signer decides who may approve and sign them. */
export function certificateAdmission(authorizer: Authorizer): ReadonlyMap<string, Admission> {
  const check = (attributes: AdmissionAttributes, verb: 'approve' | 'sign'): void => {
    const signer = signerOf(attributes.old)
    const domain = signer.split('/')[0] ?? ''
    const isAllowed = [signer, `${domain}/*`].some(
      (name) =>
        authorizer.decide(attributes.context.user, {
          verb,
          isResource: true,
          group,
          resource: 'signers',
          subresource: '',
          namespace: '',
          name,
          path: '',
        }).allowed,
    )
    if (isAllowed) return
    const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`
    throw forbidden(attributes.resource, attributes.name, why)
  }
  return new Map([
    [
      'CertificateApproval',
      onWrite('UPDATE', 'approval', (attributes) => check(attributes, 'approve')),
    ],
    [
      'CertificateSigning',
      onWrite('UPDATE', 'status', (attributes) => {
        const [next, old] = [statusOf(attributes.object), statusOf(attributes.old)]
        if (!sameJson(next, old)) check(attributes, 'sign')
      }),
    ],
    ['CertificateSubjectRestriction', onWrite('CREATE', '', refuseSuperusers)],
  ])
}

function onWrite(
  operation: AdmissionAttributes['operation'],
  subresource: string,
  check: (attributes: AdmissionAttributes) => void,
): Admission {
  return {
    ...noAdmission,
    validate(attributes) {
      const { resource } = attributes
      if (resource.group !== group || resource.plural !== 'certificatesigningrequests') return
      if (attributes.operation === operation && attributes.subresource === subresource) {
        check(attributes)
      }
    },
  }
}

function signerOf(object: object | undefined): string {
  return text(part(object as BuiltinObject, 'spec'), 'signerName')
}

function statusOf(object: object | undefined): unknown {
  const { certificate, conditions } = part(object as BuiltinObject, 'status')
  return { certificate: certificate ?? '', conditions: conditions ?? [] }
}

/** Members of this group may do anything, so no certificate may make someone a member. */
function refuseSuperusers({ resource, object, name }: AdmissionAttributes): void {
  if (object === undefined || signerOf(object) !== clientSigner) return
  if (!requestOf(object as BuiltinObject).organizations.includes(superusers)) return
  const why = `use of ${clientSigner} signer with ${superusers} group is not allowed`
  throw forbidden(resource, name, why)
}
