import { BlockList, isIP } from 'node:net'
import type { FieldError } from '@agents/crd'
import { forbiddenValue, invalidValue, requiredValue } from '../../status/field-errors.ts'
import { type Fields, part, parts, text, texts } from '../fields.ts'
import type { KindRules } from '../strategy/kind-rules.ts'
import { labelSelectorErrors } from '../validation/label-selector.ts'
import { portName } from '../validation/port-name.ts'
import { portNumber } from '../validation/value-errors.ts'

export const networkPolicyRules: KindRules = {
  generation: true,
  validate(policy) {
    const spec = part(policy, 'spec')
    return [
      ...labelSelectorErrors(part(spec, 'podSelector'), 'spec.podSelector'),
      ...ruleErrors(parts(spec, 'ingress'), 'from', 'spec.ingress'),
      ...ruleErrors(parts(spec, 'egress'), 'to', 'spec.egress'),
    ]
  },
}

function ruleErrors(rules: readonly Fields[], peers: string, path: string): FieldError[] {
  return rules.flatMap((rule, index) => [
    ...parts(rule, 'ports').flatMap((port, at) =>
      portErrors(port, `${path}[${index}].ports[${at}]`),
    ),
    ...parts(rule, peers).flatMap((peer, at) =>
      peerErrors(peer, `${path}[${index}].${peers}[${at}]`),
    ),
  ])
}

function portErrors({ port, endPort }: Fields, path: string): FieldError[] {
  const last = `${path}.endPort`
  if (typeof port === 'number') {
    const errors = portNumber(port, `${path}.port`)
    if (typeof endPort !== 'number') return errors
    if (endPort < port) {
      errors.push(invalidValue(last, port, 'must be greater than or equal to `port`'))
    }
    return [...errors, ...portNumber(endPort, last)]
  }
  const errors: FieldError[] = []
  if (endPort !== undefined) {
    const why = port === undefined ? 'is not specified' : 'is non-numeric'
    errors.push(invalidValue(last, endPort, `may not be specified when \`port\` ${why}`))
  }
  if (typeof port !== 'string') return errors
  return [...errors, ...portName(port).map((why) => invalidValue(`${path}.port`, port, why))]
}

function peerErrors(peer: Fields, path: string): FieldError[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((name) => peer[name] !== undefined)
  const errors = selectors.flatMap((name) =>
    labelSelectorErrors(part(peer, name), `${path}.${name}`),
  )
  if (peer.ipBlock === undefined) {
    return selectors.length > 0 ? errors : [requiredValue(path, 'must specify a peer')]
  }
  errors.push(...blockErrors(part(peer, 'ipBlock'), `${path}.ipBlock`))
  return selectors.length === 0
    ? errors
    : [...errors, forbiddenValue(path, 'may not specify both ipBlock and another peer')]
}

function blockErrors(block: Fields, path: string): FieldError[] {
  const cidr = text(block, 'cidr')
  if (cidr === '') return [requiredValue(`${path}.cidr`, '')]
  const whole = parsedBlock(cidr)
  if (whole === undefined) return [notABlock(`${path}.cidr`, cidr)]
  const list = new BlockList()
  list.addSubnet(whole.address, whole.bits, whole.family)
  return texts(block, 'except').flatMap((except, index) => {
    const at = `${path}.except[${index}]`
    const hole = parsedBlock(except)
    if (hole === undefined) return [notABlock(at, except)]
    const isInside = hole.bits > whole.bits && list.check(hole.address, hole.family)
    return isInside ? [] : [invalidValue(at, except, 'must be a strict subset of `cidr`')]
  })
}

interface Block {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

function parsedBlock(cidr: string): Block | undefined {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? []
  const version = isIP(address)
  const bits = Number(digits)
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return undefined
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}

function notABlock(field: string, value: string): FieldError {
  const why = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
  return invalidValue(field, value, why)
}
