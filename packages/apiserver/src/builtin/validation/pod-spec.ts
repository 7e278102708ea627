import type { FieldError } from '@agents/crd'
import { forbiddenValue, invalidValue, requiredValue } from '../../rest/field-errors.ts'
import { dnsLabel, dnsSubdomain } from '../../rest/name-rules.ts'
import { validateLabels } from '../../rest/validate-metadata.ts'
import { type Fields, number, part, parts, text } from '../fields.ts'
import { containerErrors } from './container.ts'
import { duplicateValue } from './words.ts'

export function podTemplateErrors(template: Fields, path: string): FieldError[] {
  const spec = part(template, 'spec')
  const labels = part(part(template, 'metadata'), 'labels') as Record<string, string>
  const errors = [
    ...validateLabels(labels, `${path}.labels`),
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

/** `inTemplate`: upstream is more lenient there, for the sake of those who fill in the image later. */
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
  return [...errors, ...placementErrors(spec, path)]
}

function imageErrors(container: Fields, path: string, inTemplate: boolean): FieldError[] {
  const image = text(container, 'image')
  if (image === '') return [requiredValue(`${path}.image`, '')]
  return image.trim() === image || inTemplate
    ? []
    : [invalidValue(`${path}.image`, image, 'must not have leading or trailing whitespace')]
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

/** The one field beside `name` that says what a volume is. */
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
  return errors
}
