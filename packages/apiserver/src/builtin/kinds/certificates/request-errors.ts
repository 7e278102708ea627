import { X509Certificate } from 'node:crypto'
import type { FieldError } from '@agents/crd'
import { parseCertificateRequest } from '../../../auth/pki/certificate-request.ts'
import { dnsLabel, dnsSubdomain } from '../../../metadata/name-rules.ts'
import {
  invalidValue,
  requiredValue,
  tooLong,
  unsupportedValue,
} from '../../../status/field-errors.ts'
import { type Fields, number, text, texts } from '../../fields.ts'
import { pemBlocks } from '../../validation/pem-blocks.ts'
import { duplicateValue } from '../../validation/value-errors.ts'

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
]

const legacySigner = 'kubernetes.io/legacy-unknown'
const minimumSeconds = 600

export function specErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const request = text(spec, 'request')
  const problem = requestProblem(Buffer.from(request, 'base64').toString('latin1'))
  if (problem !== undefined) errors.push(invalidValue('spec.request', request, problem))
  const used = texts(spec, 'usages')
  if (used.length === 0) errors.push(requiredValue('spec.usages', ''))
  for (const [index, usage] of used.entries()) {
    const path = `spec.usages[${index}]`
    if (!usages.includes(usage)) errors.push(unsupportedValue(path, usage, usages))
  }
  for (const [index, usage] of used.entries()) {
    if (used.indexOf(usage) < index) errors.push(duplicateValue(`spec.usages[${index}]`, usage))
  }
  errors.push(...signerErrors(text(spec, 'signerName')))
  const seconds = number(spec, 'expirationSeconds')
  if (seconds !== undefined && seconds < minimumSeconds) {
    const why = 'may not specify a duration less than 600 seconds (10 minutes)'
    errors.push(invalidValue('spec.expirationSeconds', seconds, why))
  }
  return errors
}

function requestProblem(pem: string): string | undefined {
  try {
    return parseCertificateRequest(pem).hasValidSignature()
      ? undefined
      : 'x509: cannot verify the signature of the request'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const maxDomainBytes = 253
const maxSignerBytes = maxDomainBytes + 1 + 253 + 63 + 1

/** Validates `domain/path`. As upstream does, only the first wrong label of each part is reported. */
function signerErrors(name: string): FieldError[] {
  const field = 'spec.signerName'
  if (name === '') return [requiredValue(field, '')]
  if (name === legacySigner) {
    return [invalidValue(field, name, 'the legacy signerName is not allowed via this API version')]
  }
  const [domain = '', path = '', ...rest] = name.split('/')
  if (!name.includes('/') || rest.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return [invalidValue(field, name, why)]
  }
  const errors: FieldError[] = []
  if (domain.length > maxDomainBytes) errors.push(tooLong(field, maxDomainBytes))
  const labels = domain.split('.')
  errors.push(...firstWrong(labels, domain, dnsLabel))
  if (labels.length < 2) {
    const why = 'should be a domain with at least two segments separated by dots'
    errors.push(invalidValue(field, domain, why))
  }
  errors.push(...firstWrong(path.split('.'), path, dnsSubdomain))
  if (name.length > maxSignerBytes) errors.push(tooLong(field, maxSignerBytes))
  return errors
}

function firstWrong(
  labels: readonly string[],
  whole: string,
  check: (label: string) => string[],
): FieldError[] {
  for (const label of labels) {
    const problems = check(label)
    if (problems.length === 0) continue
    return problems.map((problem) =>
      invalidValue(
        'spec.signerName',
        whole,
        `validating label ${JSON.stringify(label)}: ${problem}`,
      ),
    )
  }
  return []
}

/** These conditions cannot be false: an undecided request does not have them. */
const trueOnly = ['Approved', 'Denied', 'Failed']

export function conditionErrors(conditions: readonly Fields[]): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, condition] of conditions.entries()) {
    const path = `status.conditions[${index}]`
    const type = text(condition, 'type')
    if (type === '') errors.push(requiredValue(`${path}.type`, ''))
    const allowed = trueOnly.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    const status = text(condition, 'status')
    if (status === '') errors.push(requiredValue(`${path}.status`, ''))
    else if (!allowed.includes(status)) {
      errors.push(unsupportedValue(`${path}.status`, status, allowed))
    }
    const opposite = { Approved: 'Denied', Denied: 'Approved' }[type]
    if (opposite !== undefined && seen.has(opposite)) {
      const why = 'Approved and Denied conditions are mutually exclusive'
      errors.push(invalidValue('status.conditions', type, why))
    }
    if (seen.has(type)) errors.push(duplicateValue(`${path}.type`, type))
    seen.add(type)
  }
  return errors
}

export function certificateErrors(encoded: string): FieldError[] {
  if (encoded === '') return []
  const problem = certificateProblem(Buffer.from(encoded, 'base64').toString('latin1'))
  return problem === undefined
    ? []
    : [invalidValue('status.certificate', '<certificate data>', problem)]
}

function certificateProblem(pem: string): string | undefined {
  const blocks = pemBlocks(pem)
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block'
  for (const { whole, type, content } of blocks) {
    if (type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`
    }
    if (content.includes(':')) return 'no PEM block headers are permitted'
    try {
      new X509Certificate(whole)
    } catch {
      return 'x509: malformed certificate'
    }
  }
  return undefined
}
