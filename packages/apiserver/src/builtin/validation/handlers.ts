import type { FieldError } from '@agents/crd'
import { forbiddenValue, invalidValue, requiredValue } from '../../status/field-errors.ts'
import { type Fields, part, texts } from '../fields.ts'
import { portName } from './port-name.ts'
import { portNumber } from './value-errors.ts'

const handlerTypes = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep']

/** Validates the handler of a probe or lifecycle hook, which must be exactly one. */
function handlerErrors(holder: Fields, path: string): FieldError[] {
  const given = handlerTypes.filter((name) => holder[name] !== undefined)
  if (given.length === 0) return [requiredValue(path, 'must specify a handler type')]
  return given.flatMap((name, index) =>
    index > 0
      ? [forbiddenValue(`${path}.${name}`, 'may not specify more than 1 handler type')]
      : oneHandler(part(holder, name), `${path}.${name}`, name),
  )
}

export function lifecycleErrors(lifecycle: Fields, path: string): FieldError[] {
  return ['postStart', 'preStop']
    .filter((name) => lifecycle[name] !== undefined)
    .flatMap((name) => handlerErrors(part(lifecycle, name), `${path}.${name}`))
}

export function probeErrors(probe: Fields, path: string, name: string): FieldError[] {
  const errors = handlerErrors(probe, path)
  for (const key of counters) {
    const value = probe[key]
    if (typeof value === 'number' && value < 0) {
      errors.push(invalidValue(`${path}.${key}`, value, 'must be greater than or equal to 0'))
    }
  }
  if (name !== 'readinessProbe' && probe.successThreshold !== 1) {
    errors.push(invalidValue(`${path}.successThreshold`, probe.successThreshold, 'must be 1'))
  }
  return errors
}

const counters = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
]

function oneHandler(handler: Fields, path: string, name: string): FieldError[] {
  if (name === 'exec') {
    return texts(handler, 'command').length === 0 ? [requiredValue(`${path}.command`, '')] : []
  }
  if (name === 'httpGet' || name === 'tcpSocket') return namedPort(handler.port, `${path}.port`)
  return name === 'grpc' ? portNumber(handler.port, `${path}.port`) : []
}

function namedPort(port: unknown, field: string): FieldError[] {
  if (typeof port !== 'string') return portNumber(port, field)
  return portName(port).map((message) => invalidValue(field, port, message))
}
