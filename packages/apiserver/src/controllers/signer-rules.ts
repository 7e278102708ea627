import type { ParsedCertificateRequest } from '../auth/pki/certificate-request.ts'

type Request = Pick<ParsedCertificateRequest, 'commonName' | 'organizations' | 'alternativeNames'>

/** Why a built-in signer does not sign a request, with upstream's messages; `undefined` if it does. */
export function signerProblem(
  signer: string,
  request: Request,
  usages: readonly string[],
): string | undefined {
  switch (signer) {
    case 'kubernetes.io/kube-apiserver-client':
      return clientUsageProblem(usages)
    case 'kubernetes.io/kube-apiserver-client-kubelet':
      return kubeletClientProblem(request, usages)
    case 'kubernetes.io/kubelet-serving':
      return kubeletServingProblem(request, usages)
    default:
      return 'not built in'
  }
}

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const required = 'client auth'
  const allowed = ['digital signature', 'key encipherment', required]
  const wrong = usages.find((usage) => !allowed.includes(usage))
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`
  return usages.includes(required)
    ? undefined
    : `missing required usage for client certificate: ${required}`
}

const nodeNamePrefix = 'system:node:'
const wrongOrganization = 'subject organization is not system:nodes'
const wrongCommonName = `subject common name does not begin with ${nodeNamePrefix}`

function kubeletClientProblem(request: Request, usages: readonly string[]): string | undefined {
  const { commonName, organizations, alternativeNames } = request
  if (!isNodes(organizations)) return wrongOrganization
  const labels = { dns: 'DNS', email: 'Email', ip: 'IP', uri: 'URI' } as const
  for (const type of ['dns', 'email', 'ip', 'uri'] as const) {
    if (alternativeNames.some((name) => name.type === type)) {
      return `${labels[type]} subjectAltNames are not allowed`
    }
  }
  if (!commonName.startsWith(nodeNamePrefix)) return wrongCommonName
  return usageProblem(usages, 'client auth')
}

function kubeletServingProblem(request: Request, usages: readonly string[]): string | undefined {
  const { commonName, organizations, alternativeNames } = request
  if (!isNodes(organizations)) return wrongOrganization
  const types = new Set(alternativeNames.map(({ type }) => type))
  if (!types.has('dns') && !types.has('ip')) return 'DNS or IP subjectAltName is required'
  if (types.has('email')) return 'Email subjectAltNames are not allowed'
  if (types.has('uri')) return 'URI subjectAltNames are not allowed'
  const problem = usageProblem(usages, 'server auth')
  if (problem !== undefined) return problem
  return commonName.startsWith(nodeNamePrefix) ? undefined : wrongCommonName
}

function isNodes(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === 'system:nodes'
}

function usageProblem(usages: readonly string[], purpose: string): string | undefined {
  const all = ['digital signature', 'key encipherment', purpose].sort()
  const withoutRsa = all.filter((usage) => usage !== 'key encipherment')
  const used = [...new Set(usages)].sort().join()
  if (used === all.join() || used === withoutRsa.join()) return undefined
  return `usages did not match [${all.join(' ')}]`
}
