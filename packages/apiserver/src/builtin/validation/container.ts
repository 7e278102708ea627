import type { FieldError } from '@agents/crd'
import { compareQuantities, parseQuantity, quantityMilliValue, quantitySign } from '@agents/kube'
import { dnsLabel, dnsSubdomain } from '../../metadata/name-rules.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../status/field-errors.ts'
import { type Fields, part, parts, text } from '../fields.ts'
import { lifecycleErrors, probeErrors } from './handlers.ts'
import { portName } from './port-name.ts'
import { securityContextErrors } from './security-context.ts'
import { dataKey, duplicateValue, notFoundValue, portNumber } from './value-errors.ts'

/** Validates a container of a pod. `volumes` are the names that it can mount. */
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
  errors.push(
    ...lifecycleErrors(part(container, 'lifecycle'), `${path}.lifecycle`),
    ...securityContextErrors(part(container, 'securityContext'), `${path}.securityContext`),
    ...deviceErrors(parts(container, 'volumeDevices'), `${path}.volumeDevices`, volumes),
  )
  return errors
}

function deviceErrors(
  devices: readonly Fields[],
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  return devices.flatMap((device, index) => {
    const name = text(device, 'name')
    if (name === '') return [requiredValue(`${path}[${index}].name`, '')]
    return volumes.has(name) ? [] : [notFoundValue(`${path}[${index}].name`, name)]
  })
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
  if (source.fieldRef !== undefined) {
    errors.push(...fieldPathErrors(text(part(source, 'fieldRef'), 'fieldPath'), path))
  }
  if (source.resourceFieldRef !== undefined) {
    const resource = text(part(source, 'resourceFieldRef'), 'resource')
    const field = `${path}.resourceFieldRef.resource`
    if (resource === '') errors.push(requiredValue(field, ''))
    else if (!containerResources.includes(resource) && !/\.hugepages-/.test(resource)) {
      errors.push(unsupportedValue(field, resource, containerResources))
    }
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

const containerResources = ['limits', 'requests'].flatMap((list) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${list}.${name}`),
)

const fieldPaths =
  /^(metadata\.(name|namespace|uid)|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?)|metadata\.(labels|annotations)\['.*'\])$/

function fieldPathErrors(fieldPath: string, path: string): FieldError[] {
  const field = `${path}.fieldRef.fieldPath`
  if (fieldPath === '') return [requiredValue(field, '')]
  if (fieldPaths.test(fieldPath)) return []
  const why = `error converting fieldPath: field label not supported: ${fieldPath}`
  return [invalidValue(field, fieldPath, why)]
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
      const quantity = parseQuantity(String(amount))
      if (quantitySign(quantity) < 0) {
        errors.push(invalidValue(at, amount, 'must be greater than or equal to 0'))
      }
      if (name.includes('/') && quantityMilliValue(quantity) % 1000n !== 0n) {
        errors.push(invalidValue(at, amount, 'must be an integer'))
      }
    }
  }
  for (const [name, amount] of Object.entries(requests)) {
    const limit = limits[name]
    if (limit === undefined) {
      // Extended resources cannot be overcommitted.
      if (name.includes('/')) {
        const why = 'Limit must be set for non overcommitable resources'
        errors.push(requiredValue(`${path}.limits`, why))
      }
      continue
    }
    const order = compareQuantities(parseQuantity(String(amount)), parseQuantity(String(limit)))
    if (order > 0) {
      const detail = `must be less than or equal to ${name} limit of ${limit}`
      errors.push(invalidValue(`${path}.requests`, amount, detail))
    }
  }
  return errors
}

const standardResources = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/
