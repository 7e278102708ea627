import type { FieldError } from '@agents/crd'
import { compareQuantities, parseQuantity, quantitySign } from '@agents/kube'
import { invalidValue, requiredValue } from '../../rest/field-errors.ts'
import { dnsLabel, dnsSubdomain } from '../../rest/name-rules.ts'
import { type Fields, part, parts, text } from '../fields.ts'
import { dataKey, duplicateValue, notFoundValue, portNumber } from './words.ts'

/** One container of a pod; `volumes` are the names that it can mount. */
export function containerErrors(
  container: Fields,
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const name = text(container, 'name')
  const errors: FieldError[] =
    name === ''
      ? [requiredValue(`${path}.name`, '')]
      : dnsLabel(name).map((message) => invalidValue(`${path}.name`, name, message))
  errors.push(
    ...portErrors(parts(container, 'ports'), `${path}.ports`),
    ...environmentErrors(parts(container, 'env'), `${path}.env`),
    ...sourceErrors(parts(container, 'envFrom'), `${path}.envFrom`),
    ...mountErrors(parts(container, 'volumeMounts'), `${path}.volumeMounts`, volumes),
    ...resourceErrors(part(container, 'resources'), `${path}.resources`),
  )
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (container[probe] !== undefined) {
      errors.push(...probeErrors(part(container, probe), `${path}.${probe}`, probe))
    }
  }
  return errors
}

function portErrors(ports: readonly Fields[], path: string): FieldError[] {
  const names = new Set<string>()
  return ports.flatMap((port, index) => {
    const at = `${path}[${index}]`
    const errors: FieldError[] = []
    const name = text(port, 'name')
    if (name !== '') {
      const wrong = portName(name)
      errors.push(...wrong.map((message) => invalidValue(`${at}.name`, name, message)))
      if (wrong.length === 0 && names.has(name)) errors.push(duplicateValue(`${at}.name`, name))
      names.add(name)
    }
    const number = port.containerPort
    if (number === undefined || number === 0) errors.push(requiredValue(`${at}.containerPort`, ''))
    else errors.push(...portNumber(number, `${at}.containerPort`))
    if (port.hostPort !== undefined) errors.push(...portNumber(port.hostPort, `${at}.hostPort`))
    return errors
  })
}

export function portName(name: string): string[] {
  const errors: string[] = []
  if (name.length > 15) errors.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/.test(name)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)')
  if (name.includes('--')) errors.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) {
    errors.push('must not begin or end with a hyphen')
  }
  return errors
}

function environmentErrors(variables: readonly Fields[], path: string): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = `${path}[${index}]`
    const name = text(variable, 'name')
    const errors: FieldError[] = []
    if (name === '') errors.push(requiredValue(`${at}.name`, ''))
    else if (!/^[ -<>-~]+$/.test(name)) {
      errors.push(
        invalidValue(
          `${at}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      )
    }
    if (variable.valueFrom !== undefined) {
      const hasValue = text(variable, 'value') !== ''
      errors.push(...valueSourceErrors(part(variable, 'valueFrom'), hasValue, `${at}.valueFrom`))
    }
    return errors
  })
}

function valueSourceErrors(source: Fields, hasValue: boolean, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const name of ['configMapKeyRef', 'secretKeyRef']) {
    if (source[name] === undefined) continue
    const reference = part(source, name)
    const object = text(reference, 'name')
    for (const message of dnsSubdomain(object)) {
      errors.push(invalidValue(`${path}.${name}.name`, object, message))
    }
    const key = text(reference, 'key')
    if (key === '') errors.push(requiredValue(`${path}.${name}.key`, ''))
    else {
      errors.push(
        ...dataKey(key).map((message) => invalidValue(`${path}.${name}.key`, key, message)),
      )
    }
  }
  if (source.fieldRef !== undefined && text(part(source, 'fieldRef'), 'fieldPath') === '') {
    errors.push(requiredValue(`${path}.fieldRef.fieldPath`, ''))
  }
  const count = Object.keys(source).length
  const refused =
    count === 0
      ? 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
      : hasValue
        ? 'may not be specified when `value` is not empty'
        : count > 1
          ? 'may not have more than one field specified at a time'
          : ''
  return refused === '' ? errors : [...errors, invalidValue(path, '', refused)]
}

function sourceErrors(sources: readonly Fields[], path: string): FieldError[] {
  return sources.flatMap((source, index) => {
    const at = `${path}[${index}]`
    const named = ['configMapRef', 'secretRef'].filter((name) => source[name] !== undefined)
    const errors = named
      .filter((name) => text(part(source, name), 'name') === '')
      .map((name) => requiredValue(`${at}.${name}.name`, ''))
    if (named.length === 0) {
      errors.push(invalidValue(path, '', 'must specify one of: `configMapRef` or `secretRef`'))
    } else if (named.length > 1) {
      errors.push(invalidValue(path, '', 'may not have more than one field specified at a time'))
    }
    return errors
  })
}

function mountErrors(
  mounts: readonly Fields[],
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const taken = new Set<string>()
  return mounts.flatMap((mount, index) => {
    const at = `${path}[${index}]`
    const errors: FieldError[] = []
    const name = text(mount, 'name')
    const target = text(mount, 'mountPath')
    if (name === '') errors.push(requiredValue(`${at}.name`, ''))
    if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name))
    if (target === '') errors.push(requiredValue(`${at}.mountPath`, ''))
    if (taken.has(target)) errors.push(invalidValue(`${at}.mountPath`, target, 'must be unique'))
    taken.add(target)
    const subPath = text(mount, 'subPath')
    if (subPath.startsWith('/')) {
      errors.push(invalidValue(`${path}.subPath`, subPath, 'must be a relative path'))
    }
    if (subPath.split('/').includes('..')) {
      errors.push(invalidValue(`${path}.subPath`, subPath, "must not contain '..'"))
    }
    return errors
  })
}

function resourceErrors(resources: Fields, path: string): FieldError[] {
  const limits = part(resources, 'limits')
  const requests = part(resources, 'requests')
  const errors: FieldError[] = []
  for (const [field, amounts] of Object.entries({ limits, requests })) {
    for (const [name, amount] of Object.entries(amounts)) {
      const at = `${path}.${field}[${name}]`
      if (!name.includes('/') && !standardResources.test(name)) {
        errors.push(
          invalidValue(at, name, 'must be a standard resource type or fully qualified'),
          invalidValue(at, name, 'must be a standard resource for containers'),
        )
      }
      if (quantitySign(parseQuantity(String(amount))) < 0) {
        errors.push(invalidValue(at, amount, 'must be greater than or equal to 0'))
      }
    }
  }
  for (const [name, amount] of Object.entries(requests)) {
    const limit = limits[name]
    if (limit === undefined) continue
    const order = compareQuantities(parseQuantity(String(amount)), parseQuantity(String(limit)))
    if (order > 0) {
      const detail = `must be less than or equal to ${name} limit of ${limit}`
      errors.push(invalidValue(`${path}.requests`, amount, detail))
    }
  }
  return errors
}

const standardResources = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/

function probeErrors(probe: Fields, path: string, name: string): FieldError[] {
  const errors: FieldError[] = []
  const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'].filter((key) => key in probe)
  if (handlers.length === 0) errors.push(requiredValue(path, 'must specify a handler type'))
  for (const extra of handlers.slice(1)) {
    errors.push({
      reason: 'FieldValueForbidden',
      field: `${path}.${extra}`,
      message: 'Forbidden: may not specify more than 1 handler type',
    })
  }
  for (const key of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
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
