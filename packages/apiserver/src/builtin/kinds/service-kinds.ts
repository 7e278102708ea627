import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { FieldError } from '@agents/crd'
import { sameJson } from '@agents/kube'
import { dnsLabel, dnsSubdomain, labelName } from '../../metadata/name-rules.ts'
import { validateLabels } from '../../metadata/validate-metadata.ts'
import { forbiddenValue, invalidValue, requiredValue } from '../../status/field-errors.ts'
import { type Fields, fallBack, ownPart, part, parts, text, texts } from '../fields.ts'
import type { BuiltinObject, KindRules } from '../strategy/kind-rules.ts'
import { portName } from '../validation/port-name.ts'
import { duplicateValue, immutable, portNumber } from '../validation/value-errors.ts'

/** The addresses and ports that are in use, so that none is allocated twice. */
export interface ServiceAllocations {
  isAddressTaken(address: string): boolean
  isNodePortTaken(port: number): boolean
}

export function serviceRules(allocations: ServiceAllocations): KindRules {
  return {
    allowCreateOnUpdate: true,
    changeFirst: true,
    nameRule: labelName,
    prepareForCreate: (service) => allocate(service, allocations),
    prepareForUpdate(next, old) {
      keepAllocated(next, old)
      allocate(next, allocations)
    },
    validate: serviceErrors,
    validateUpdate(next, old) {
      const before = part(old, 'spec')
      const after = part(next, 'spec')
      if (before.type === 'ExternalName' || after.type === 'ExternalName') return []
      const [first] = texts(before, 'clusterIPs')
      if (first === undefined || first === texts(after, 'clusterIPs')[0]) return []
      return [
        invalidValue('spec.clusterIPs[0]', texts(after, 'clusterIPs'), 'may not change once set'),
      ]
    },
    deletion: { returnsDeleted: true },
    selectable: {
      'spec.clusterIP': (service) => text(part(service, 'spec'), 'clusterIP'),
      'spec.type': (service) => text(part(service, 'spec'), 'type'),
    },
  }
}

export const endpointsRules: KindRules = { allowCreateOnUpdate: true }

export const endpointSliceRules: KindRules = {
  generation: true,
  validate(slice) {
    return text(slice, 'addressType') === '' ? [requiredValue('addressType', '')] : []
  },
  validateUpdate: (next, old) => immutable(next, old, 'addressType', 'addressType'),
}

function allocate(service: BuiltinObject, allocations: ServiceAllocations): void {
  const spec = ownPart(service, 'spec')
  if (spec.type === 'ExternalName') {
    for (const name of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
      if (spec[name] === '' || name !== 'clusterIP') delete spec[name]
    }
    return
  }
  if (text(spec, 'clusterIP') === '') {
    spec.clusterIP = texts(spec, 'clusterIPs')[0] ?? freeAddress(service, allocations)
  }
  // Headless services without a selector can have addresses of any family.
  const anyFamily = spec.clusterIP === 'None' && Object.keys(part(spec, 'selector')).length === 0
  fallBack(spec, {
    clusterIPs: [spec.clusterIP],
    ipFamilyPolicy: anyFamily ? 'RequireDualStack' : 'SingleStack',
  })
  const [first = 'IPv4', second] = texts(spec, 'ipFamilies')
  const other = first === 'IPv4' ? 'IPv6' : 'IPv4'
  const both = second !== undefined || (anyFamily && spec.ipFamilyPolicy !== 'SingleStack')
  spec.ipFamilies = both ? [first, second ?? other] : [first]
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return
  if (spec.allocateLoadBalancerNodePorts === false) return
  const given = new Set<number>()
  for (const port of parts(spec, 'ports')) {
    if (typeof port.nodePort === 'number' && port.nodePort !== 0) continue
    port.nodePort = freeNodePort(service, given, allocations)
    given.add(port.nodePort as number)
  }
}

/** Keeps allocated values that an update omits. */
function keepAllocated(next: BuiltinObject, old: BuiltinObject): void {
  const before = part(old, 'spec')
  const after = ownPart(next, 'spec')
  if (before.type === 'ExternalName' || after.type === 'ExternalName') return
  if (text(after, 'clusterIP') === '') after.clusterIP = before.clusterIP
  // Older clients change `clusterIP` but do not know `clusterIPs`.
  const changed = after.clusterIP !== before.clusterIP
  if (changed && sameJson(after.clusterIPs, before.clusterIPs)) after.clusterIPs = [after.clusterIP]
  for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    if (after[name] === undefined) after[name] = structuredClone(before[name])
  }
  for (const port of parts(after, 'ports')) {
    if (after.type === 'ClusterIP' || port.nodePort !== undefined) continue
    const same = parts(before, 'ports').find(
      (one) => one.port === port.port && one.protocol === port.protocol,
    )
    if (same?.nodePort !== undefined) port.nodePort = same.nodePort
  }
}

/** Allocates an address in 10.96.0.0/16, starting from one that is derived from the uid. */
function freeAddress({ metadata }: BuiltinObject, allocations: ServiceAllocations): string {
  const start = hash(metadata.uid ?? metadata.name)
  for (let step = 0; step < 65_000; step++) {
    // The first 256 addresses are reserved for static allocation.
    const offset = 256 + ((start + step) % 65_000)
    const address = `10.96.${offset >> 8}.${offset & 255}`
    if (!allocations.isAddressTaken(address)) return address
  }
  throw new Error('no free address in the service IP range')
}

function freeNodePort(
  { metadata }: BuiltinObject,
  given: ReadonlySet<number>,
  allocations: ServiceAllocations,
): number {
  const start = hash(metadata.uid ?? metadata.name)
  for (let step = 0; step < 2768; step++) {
    const port = 30_000 + ((start + step) % 2768)
    if (!given.has(port) && !allocations.isNodePortTaken(port)) return port
  }
  throw new Error('no free port in the node port range')
}

function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0)
}

function serviceErrors(service: BuiltinObject): FieldError[] {
  const spec = part(service, 'spec')
  const ports = parts(spec, 'ports')
  const headless = spec.clusterIP === 'None'
  const errors: FieldError[] = []
  if (ports.length === 0 && !headless && spec.type !== 'ExternalName') {
    errors.push(requiredValue('spec.ports', ''))
  }
  errors.push(...typeErrors(spec, headless))
  const address = texts(spec, 'clusterIPs')[0]
  if (address !== undefined && address !== 'None' && isIP(address) === 0) {
    const why = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
    errors.push(invalidValue('spec.clusterIPs[0]', address, why))
  }
  const names = new Set<string>()
  for (const [index, port] of ports.entries()) {
    errors.push(...portErrors(port, `spec.ports[${index}]`, ports.length > 1, names))
  }
  errors.push(
    ...validateLabels(part(spec, 'selector') as Record<string, string>, 'spec.selector'),
    ...duplicatePorts(ports),
    ...trafficErrors(spec),
  )
  return errors
}

function typeErrors(spec: Fields, headless: boolean): FieldError[] {
  if (spec.type === 'ExternalName') {
    const name = text(spec, 'externalName').replace(/\.$/, '')
    const errors: FieldError[] =
      texts(spec, 'clusterIPs').length > 0 || text(spec, 'clusterIP') !== ''
        ? [forbiddenValue('spec.clusterIPs', 'may not be set for ExternalName services')]
        : []
    if (name === '') return [...errors, requiredValue('spec.externalName', '')]
    const wrong = dnsSubdomain(name)
    return [...errors, ...wrong.map((why) => invalidValue('spec.externalName', name, why))]
  }
  if (headless && (spec.type === 'LoadBalancer' || spec.type === 'NodePort')) {
    const why = `may not be set to 'None' for ${spec.type} services`
    return [invalidValue('spec.clusterIPs[0]', 'None', why)]
  }
  if (spec.type !== 'ClusterIP') return []
  return parts(spec, 'ports').flatMap((port, index) =>
    port.nodePort === undefined
      ? []
      : [
          forbiddenValue(
            `spec.ports[${index}].nodePort`,
            "may not be used when `type` is 'ClusterIP'",
          ),
        ],
  )
}

function portErrors(port: Fields, path: string, named: boolean, names: Set<string>): FieldError[] {
  const errors: FieldError[] = []
  const name = text(port, 'name')
  if (named && name === '') errors.push(requiredValue(`${path}.name`, ''))
  else if (name !== '') {
    errors.push(...dnsLabel(name).map((why) => invalidValue(`${path}.name`, name, why)))
    if (names.has(name)) errors.push(duplicateValue(`${path}.name`, name))
    names.add(name)
  }
  errors.push(...portNumber(port.port, `${path}.port`))
  const target = port.targetPort
  if (typeof target === 'string') {
    errors.push(...portName(target).map((why) => invalidValue(`${path}.targetPort`, target, why)))
  } else if (target !== undefined) errors.push(...portNumber(target, `${path}.targetPort`))
  return errors
}

/** Formats the struct that Go compares ports by as Go prints it. */
function printedPort(Protocol: unknown, Port: unknown): Fields {
  return { Name: '', Protocol, AppProtocol: null, Port, TargetPort: 0, NodePort: 0 }
}

function trafficErrors(spec: Fields): FieldError[] {
  const errors: FieldError[] = []
  const external = spec.type === 'NodePort' || spec.type === 'LoadBalancer'
  const reachable = external || (spec.type === 'ClusterIP' && Array.isArray(spec.externalIPs))
  if (!reachable && text(spec, 'externalTrafficPolicy') !== '') {
    errors.push(
      invalidValue(
        'spec.externalTrafficPolicy',
        spec.externalTrafficPolicy,
        'may only be set for externally-accessible services',
      ),
    )
  }
  const { timeoutSeconds } = part(part(spec, 'sessionAffinityConfig'), 'clientIP')
  if (typeof timeoutSeconds === 'number' && (timeoutSeconds <= 0 || timeoutSeconds > 86_400)) {
    errors.push(
      invalidValue(
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
        timeoutSeconds,
        'must be greater than 0 and less than 86400',
      ),
    )
  }
  return errors
}

function duplicatePorts(ports: readonly Fields[]): FieldError[] {
  const taken = new Set<string>()
  return ports.flatMap(({ port, protocol }, index) => {
    const key = `${protocol}/${port}`
    if (taken.has(key)) return [duplicateValue(`spec.ports[${index}]`, printedPort(protocol, port))]
    taken.add(key)
    return []
  })
}
