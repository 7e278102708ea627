import { isIP } from 'node:net'
import type { FieldError } from '@agents/crd'
import { dnsLabel, dnsSubdomain, labelKey } from '../../metadata/name-rules.ts'
import { validateAnnotations, validateLabels } from '../../metadata/validate-metadata.ts'
import { forbiddenValue, invalidValue, requiredValue } from '../../status/field-errors.ts'
import { type Fields, number, part, parts, text, texts } from '../fields.ts'
import { containerErrors } from './container.ts'
import { securityContextErrors } from './security-context.ts'
import { duplicateValue } from './value-errors.ts'

export function podTemplateErrors(template: Fields, path: string): FieldError[] {
  const spec = part(template, 'spec')
  const metadata = part(template, 'metadata')
  const labels = part(metadata, 'labels') as Record<string, string>
  const annotations = part(metadata, 'annotations') as Record<string, string>
  const errors = [
    ...validateLabels(labels, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...podSpecErrors(spec, `${path}.spec`, true),
  ]
  if (parts(spec, 'ephemeralContainers').length > 0) {
    errors.push(
      forbiddenValue(
        `${path}.spec.ephemeralContainers`,
        'ephemeral containers not allowed in pod template',
      ),
    )
  }
  return errors
}

/** `inTemplate`: like upstream, allows an empty image, which can be set later. */
export function podSpecErrors(spec: Fields, path: string, inTemplate: boolean): FieldError[] {
  const volumes = parts(spec, 'volumes')
  const errors = volumeErrors(volumes, `${path}.volumes`)
  const names = new Set(volumes.map((volume) => text(volume, 'name')))
  const taken = new Set<string>()
  const containers = parts(spec, 'containers')
  if (containers.length === 0) errors.push(requiredValue(`${path}.containers`, ''))
  for (const field of ['containers', 'initContainers']) {
    for (const [index, container] of parts(spec, field).entries()) {
      const at = `${path}.${field}[${index}]`
      errors.push(
        ...containerErrors(container, at, names),
        ...imageErrors(container, at, inTemplate),
      )
      const name = text(container, 'name')
      if (name !== '' && taken.has(name)) errors.push(duplicateValue(`${at}.name`, name))
      taken.add(name)
    }
  }
  for (const [index, container] of parts(spec, 'initContainers').entries()) {
    errors.push(...initErrors(container, `${path}.initContainers[${index}]`))
  }
  return [
    ...errors,
    ...securityContextErrors(part(spec, 'securityContext'), `${path}.securityContext`),
    ...networkErrors(spec, path),
    ...tolerationErrors(parts(spec, 'tolerations'), `${path}.tolerations`),
    ...placementErrors(spec, path),
  ]
}

function imageErrors(container: Fields, path: string, inTemplate: boolean): FieldError[] {
  const image = text(container, 'image')
  if (image === '') return [requiredValue(`${path}.image`, '')]
  return image.trim() === image || inTemplate
    ? []
    : [invalidValue(`${path}.image`, image, 'must not have leading or trailing whitespace')]
}

/** Rejects probes and hooks of init containers, unless they are sidecars. */
function initErrors(container: Fields, path: string): FieldError[] {
  if (container.restartPolicy === 'Always') return []
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((name) => container[name] !== undefined)
    .map((name) =>
      forbiddenValue(
        `${path}.${name}`,
        'may not be set for init containers without restartPolicy=Always',
      ),
    )
}

const notAnAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'

function networkErrors(spec: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (spec.dnsPolicy === 'None' && spec.dnsConfig === undefined) {
    const why = 'must provide `dnsConfig` when `dnsPolicy` is None'
    errors.push(requiredValue(`${path}.dnsConfig`, why))
  }
  for (const [index, server] of texts(part(spec, 'dnsConfig'), 'nameservers').entries()) {
    if (isIP(server) === 0) {
      errors.push(invalidValue(`${path}.dnsConfig.nameservers[${index}]`, server, notAnAddress))
    }
  }
  for (const [index, alias] of parts(spec, 'hostAliases').entries()) {
    const at = `${path}.hostAliases[${index}]`
    const ip = text(alias, 'ip')
    if (isIP(ip) === 0) errors.push(invalidValue(`${at}.ip`, ip, notAnAddress))
    for (const [position, name] of texts(alias, 'hostnames').entries()) {
      for (const message of dnsSubdomain(name)) {
        errors.push(invalidValue(`${at}.hostnames[${position}]`, name, message))
      }
    }
  }
  return errors
}

function tolerationErrors(tolerations: readonly Fields[], path: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => {
    const at = `${path}[${index}]`
    const errors: FieldError[] = []
    const key = text(toleration, 'key')
    const operator = text(toleration, 'operator')
    if (key !== '') {
      errors.push(...labelKey(key).map((message) => invalidValue(`${at}.key`, key, message)))
    } else if (operator !== 'Exists') {
      const why =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"'
      errors.push(invalidValue(`${at}.operator`, operator, why))
    }
    if (operator === 'Exists' && text(toleration, 'value') !== '') {
      const why = "value must be empty when `operator` is 'Exists'"
      errors.push(invalidValue(`${at}.operator`, toleration.value, why))
    }
    if (toleration.tolerationSeconds !== undefined && toleration.effect !== 'NoExecute') {
      const why = "effect must be 'NoExecute' when `tolerationSeconds` is set"
      errors.push(invalidValue(`${at}.effect`, text(toleration, 'effect'), why))
    }
    return errors
  })
}

function placementErrors(spec: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  const nodeSelector = part(spec, 'nodeSelector') as Record<string, string>
  errors.push(...validateLabels(nodeSelector, `${path}.nodeSelector`))
  for (const field of ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName']) {
    const name = text(spec, field)
    if (name === '') continue
    errors.push(
      ...dnsSubdomain(name).map((message) => invalidValue(`${path}.${field}`, name, message)),
    )
  }
  for (const field of ['hostname', 'subdomain']) {
    const name = text(spec, field)
    if (name === '') continue
    errors.push(...dnsLabel(name).map((message) => invalidValue(`${path}.${field}`, name, message)))
  }
  const deadline = number(spec, 'activeDeadlineSeconds')
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1)) {
    errors.push(
      invalidValue(
        `${path}.activeDeadlineSeconds`,
        deadline,
        'must be between 1 and 2147483647, inclusive',
      ),
    )
  }
  const grace = number(spec, 'terminationGracePeriodSeconds')
  if (grace !== undefined && grace < 0) {
    errors.push(
      invalidValue(
        `${path}.terminationGracePeriodSeconds`,
        grace,
        'must be greater than or equal to 0',
      ),
    )
  }
  return errors
}

function volumeErrors(volumes: readonly Fields[], path: string): FieldError[] {
  const taken = new Set<string>()
  return volumes.flatMap((volume, index) => {
    const at = `${path}[${index}]`
    const name = text(volume, 'name')
    const errors: FieldError[] = sourceErrors(volume, at)
    if (name === '') errors.push(requiredValue(`${at}.name`, ''))
    else {
      const wrong = dnsLabel(name)
      errors.push(...wrong.map((message) => invalidValue(`${at}.name`, name, message)))
      if (wrong.length === 0 && taken.has(name)) errors.push(duplicateValue(`${at}.name`, name))
    }
    taken.add(name)
    return errors
  })
}

/** Validates the files that are projected into a volume. */
function itemErrors(source: Fields, path: string): FieldError[] {
  const errors: FieldError[] = []
  const mode = number(source, 'defaultMode')
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    const why = 'must be a number between 0 and 0777 (octal), both inclusive'
    errors.push(invalidValue(`${path}.defaultMode`, mode, why))
  }
  for (const [index, item] of parts(source, 'items').entries()) {
    const at = `${path}.items[${index}]`
    const file = text(item, 'path')
    if (text(item, 'key') === '') errors.push(requiredValue(`${at}.key`, ''))
    if (file === '') errors.push(requiredValue(`${at}.path`, ''))
    if (file.startsWith('/')) {
      errors.push(invalidValue(`${at}.path`, file, 'must be a relative path'))
    }
    if (file.split('/').includes('..')) {
      errors.push(invalidValue(`${at}.path`, file, "must not contain '..'"))
    }
  }
  return errors
}

/** Validates the source of a volume, which is the one field besides `name`. */
function sourceErrors(volume: Fields, path: string): FieldError[] {
  const sources = Object.keys(volume).filter((key) => key !== 'name')
  const errors = sources
    .slice(1)
    .map((key) => forbiddenValue(`${path}.${key}`, 'may not specify more than 1 volume type'))
  const [kind] = sources
  const required: Readonly<Record<string, string>> = {
    secret: 'secretName',
    configMap: 'name',
    persistentVolumeClaim: 'claimName',
    hostPath: 'path',
  }
  const field = kind === undefined ? undefined : required[kind]
  if (kind === undefined || field === undefined) return errors
  if (text(part(volume, kind), field) === '') {
    errors.push(requiredValue(`${path}.${kind}.${field}`, ''))
  }
  return [...errors, ...itemErrors(part(volume, kind), `${path}.${kind}`)]
}
