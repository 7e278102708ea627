import { sameJson } from '@agents/kube'
import { appendAll } from '../append-all.ts'
import { invalid, notSupported, required } from '../field-error/constructors.ts'
import type { FieldError } from '../field-error/field-error.ts'
import { isRequestUri } from '../format/locator.ts'
import { dns1035LabelProblems, dns1123SubdomainProblems } from '../format/names.ts'
import { isJsonObject, type JsonObject } from '../schema/json-value.ts'
import { subSchemas } from '../schema/nesting.ts'
import type { Json, Schema } from '../schema/schema.ts'
import type { StructuralOptions } from '../structural/check-structural.ts'
import { checkAnnotations, checkLabels, forbidNamespace } from '../validation/object-meta.ts'
import { checkConversion } from './check-conversion.ts'
import { checkNames, checkRequiredNames, completedNames } from './check-names.ts'
import {
  checkColumn,
  checkDeprecation,
  checkSelectableFields,
  checkSubresources,
  checkVersionSchema,
} from './check-version.ts'
import { readList, readObject, readObjects, readText, readTexts } from './read.ts'

export type DefinitionOptions = Pick<StructuralOptions, 'checkRules'>

/**
 * Checks a CustomResourceDefinition of apiextensions.k8s.io/v1 as the API server does. Errors in parts that all
 * versions have in common are reported once, under `spec.validation`, `spec.subresources` and so on.
 */
export function checkCustomResourceDefinition(
  crd: unknown,
  options: DefinitionOptions = {},
): FieldError[] {
  const definition = isJsonObject(crd) ? crd : {}
  const spec = readObject(definition, 'spec')
  return [
    ...checkMetadata(definition, spec),
    ...checkSpec(spec, options),
    ...checkStatus(definition, spec),
    ...checkApproval(definition, undefined),
    ...checkPreserve(spec),
  ]
}

function checkMetadata(definition: JsonObject, spec: JsonObject | undefined): FieldError[] {
  const metadata = readObject(definition, 'metadata') ?? {}
  const errors: FieldError[] = []
  const name = readText(metadata, 'name')
  if (name === '') errors.push(required('metadata.name', 'name or generateName is required'))
  else {
    const expected = `${readText(readObject(spec, 'names'), 'plural')}.${readText(spec, 'group')}`
    const problems = dns1123SubdomainProblems(name)
    if (name !== expected) problems.push('must be spec.names.plural+"."+spec.group')
    for (const problem of problems) errors.push(invalid('metadata.name', name, problem))
  }
  appendAll(errors, forbidNamespace(metadata, 'metadata'))
  appendAll(errors, checkLabels(metadata, 'metadata.labels'))
  appendAll(errors, checkAnnotations(metadata, 'metadata.annotations'))
  return errors
}

const scopes = ['Cluster', 'Namespaced']

export function checkSpec(spec: JsonObject | undefined, options: DefinitionOptions): FieldError[] {
  const errors: FieldError[] = []
  const group = readText(spec, 'group')
  const groupProblems = group === '' ? [] : dns1123SubdomainProblems(group)
  if (group === '') errors.push(required('spec.group'))
  else if (groupProblems.length > 0)
    errors.push(invalid('spec.group', group, groupProblems.join(',')))
  else if (!group.includes('.')) {
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'))
  }
  const scope = readText(spec, 'scope')
  if (scope === '') errors.push(required('spec.scope'))
  else if (!scopes.includes(scope)) errors.push(notSupported('spec.scope', scope, scopes))
  appendAll(errors, checkVersions(spec, options))
  appendAll(errors, checkPreserving(spec))
  const names = completedNames(readObject(spec, 'names'))
  appendAll(errors, checkRequiredNames(names, 'spec.names'))
  appendAll(errors, checkNames(names, 'spec.names'))
  appendAll(errors, checkConversion(readObject(spec, 'conversion'), 'spec.conversion'))
  return errors
}

/** Checks `spec.preserveUnknownFields`: unknown fields can be neither defaulted nor converted. */
function checkPreserving(spec: JsonObject | undefined): FieldError[] {
  if (spec?.preserveUnknownFields !== true) return []
  const errors: FieldError[] = []
  const schemas = readObjects(spec, 'versions').map((version) => readObject(version, 'schema'))
  if (schemas.some((schema) => hasDefault(readObject(schema, 'openAPIV3Schema')))) {
    const detail = 'must be false in order to use defaults in the schema'
    errors.push(invalid('spec.preserveUnknownFields', true, detail))
  }
  const strategy = readText(readObject(spec, 'conversion'), 'strategy')
  if (strategy !== '' && strategy !== 'None') {
    const detail = 'must be None if spec.preserveUnknownFields is true'
    errors.push(invalid('spec.conversion.strategy', strategy, detail))
  }
  return errors
}

function hasDefault(schema: JsonObject | undefined): boolean {
  const pending = schema === undefined ? [] : [schema as Schema]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.default !== undefined && next.default !== null) return true
    appendAll(
      pending,
      subSchemas(next).map((below) => below.schema),
    )
  }
  return false
}

function checkVersions(spec: JsonObject | undefined, options: DefinitionOptions): FieldError[] {
  const errors: FieldError[] = []
  const versions = readObjects(spec, 'versions')
  const names = versions.map((version) => readText(version, 'name'))
  for (const [index, version] of versions.entries()) {
    const schema = readObject(readObject(version, 'schema'), 'openAPIV3Schema')
    if (schema === undefined)
      errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`))
  }
  for (const [index, version] of versions.entries()) {
    const field = `spec.versions[${index}]`
    const problems = dns1035LabelProblems(names[index] ?? '')
    if (problems.length > 0) {
      errors.push(invalid(`${field}.name`, names[index] ?? '', problems.join(',')))
      // The first version also has an older name.
      if (index === 0) errors.push(invalid('spec.version', names[index] ?? '', problems.join(',')))
    }
    appendAll(errors, checkDeprecation(version, `${field}.deprecationWarning`))
  }
  for (const described of describedVersions(versions))
    appendAll(errors, checkDescribedVersion(described, options))
  if (new Set(names).size < names.length) {
    errors.push(invalid('spec.versions', names, 'must contain unique version names'))
  }
  if (versions.filter((version) => version.storage === true).length !== 1) {
    const detail = 'must have exactly one version marked as storage version'
    errors.push(invalid('spec.versions', names, detail))
  }
  return errors
}

/** A part of a definition that is described per version, or once if it is the same in all versions. */
interface DescribedVersion {
  readonly version: JsonObject
  readonly hasStatus: boolean
  /** The field of each part, or undefined if it is reported elsewhere. */
  readonly schema: string | undefined
  readonly subresources: string | undefined
  readonly columns: string | undefined
  readonly selectable: string | undefined
}

function describedVersions(versions: readonly JsonObject[]): DescribedVersion[] {
  const [first] = versions
  if (first === undefined) return []
  const isShared = (key: string) =>
    versions.every((version) => sameJson(version[key] ?? null, first[key] ?? null))
  const shared = {
    schema: isShared('schema'),
    subresources: isShared('subresources'),
    columns: isShared('additionalPrinterColumns'),
    selectable: isShared('selectableFields'),
  }
  const top: DescribedVersion = {
    version: first,
    hasStatus: versions.some(hasStatus),
    schema: shared.schema ? 'spec.validation.openAPIV3Schema' : undefined,
    subresources: shared.subresources ? 'spec.subresources' : undefined,
    columns: shared.columns ? 'spec.additionalPrinterColumns' : undefined,
    selectable: shared.selectable ? 'spec.selectableFields' : undefined,
  }
  const own = versions.map((version, index): DescribedVersion => {
    const field = `spec.versions[${index}]`
    return {
      version,
      hasStatus: hasStatus(version),
      schema: shared.schema ? undefined : `${field}.schema.openAPIV3Schema`,
      subresources: shared.subresources ? undefined : `${field}.subresources`,
      columns: shared.columns ? undefined : `${field}.additionalPrinterColumns`,
      selectable: shared.selectable ? undefined : `${field}.selectableFields`,
    }
  })
  return [...own, top]
}

function hasStatus(version: JsonObject): boolean {
  return readObject(readObject(version, 'subresources'), 'status') !== undefined
}

function checkDescribedVersion(
  described: DescribedVersion,
  options: DefinitionOptions,
): FieldError[] {
  const errors: FieldError[] = []
  const { version } = described
  const schema = readObject(readObject(version, 'schema'), 'openAPIV3Schema')
  if (described.schema !== undefined && schema !== undefined) {
    appendAll(errors, checkVersionSchema(schema, described.hasStatus, described.schema, options))
  }
  if (described.subresources !== undefined) {
    appendAll(
      errors,
      checkSubresources(readObject(version, 'subresources'), described.subresources),
    )
  }
  if (described.columns !== undefined) {
    for (const [index, column] of readObjects(version, 'additionalPrinterColumns').entries()) {
      appendAll(errors, checkColumn(column, `${described.columns}[${index}]`))
    }
  }
  const selectable = readList(version, 'selectableFields')
  if (described.selectable !== undefined && selectable.length > 0) {
    if (schema === undefined) {
      errors.push(invalid(described.selectable, '', missingSchema(described.selectable)))
      return errors
    }
    appendAll(errors, checkSelectableFields(selectable, schema, described.selectable))
  }
  return errors
}

/** The message of upstream, including the wrong "not". */
function missingSchema(field: string): string {
  return field === 'spec.selectableFields'
    ? 'may only be set when validations.schema is included'
    : 'may only be set when `version.schema.openAPIV3Schema` is not included'
}

export function checkStatus(definition: JsonObject, spec: JsonObject | undefined): FieldError[] {
  const status = readObject(definition, 'status')
  const errors = checkNames(readObject(status, 'acceptedNames'), 'status.acceptedNames')
  const versions = readObjects(spec, 'versions')
  const storage = versions
    .filter((version) => version.storage === true)
    .map((version) => readText(version, 'name'))
  const given = readTexts(status, 'storedVersions')
  const stored = given.length > 0 ? given : storage.slice(0, 1)
  const field = 'status.storedVersions'
  if (stored.length === 0)
    return [
      ...errors,
      invalid(field, status?.storedVersions ?? null, 'must have at least one stored version'),
    ]
  for (const name of storage) {
    if (!stored.includes(name))
      errors.push(invalid(field, stored, `must have the storage version ${name}`))
  }
  const served = versions.map((version) => readText(version, 'name'))
  for (const [index, name] of stored.entries()) {
    if (served.includes(name)) continue
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    errors.push(invalid(`${field}[${index}]`, name, detail))
  }
  return errors
}

const approvalAnnotation = 'api-approved.kubernetes.io'

/** Checks the approval annotation, which the API groups of the Kubernetes project require. */
export function checkApproval(definition: JsonObject, old: JsonObject | undefined): FieldError[] {
  const group = readText(readObject(definition, 'spec'), 'group')
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return []
  const approval = approvalOf(definition)
  const state = approvalState(approval)
  if (state === 'good' || (old !== undefined && approvalState(approvalOf(old)) === state)) return []
  const field = `metadata.annotations[${approvalAnnotation}]`
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  if (state === 'missing') {
    return [
      required(
        field,
        `protected groups must have approval annotation "${approvalAnnotation}", ${see}`,
      ),
    ]
  }
  const detail = `protected groups must have approval annotation "${approvalAnnotation}" with either a URL or a reason starting with "unapproved", ${see}`
  return [invalid(field, approval, detail)]
}

function approvalOf(definition: JsonObject): string {
  return readText(readObject(readObject(definition, 'metadata'), 'annotations'), approvalAnnotation)
}

function approvalState(approval: string): 'missing' | 'good' | 'bad' {
  if (approval === '') return 'missing'
  if (approval.startsWith('unapproved')) return 'good'
  return isRequestUri(approval) && /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(approval) ? 'good' : 'bad'
}

export function checkPreserve(spec: JsonObject | undefined): FieldError[] {
  const preserve: Json = spec?.preserveUnknownFields ?? false
  if (preserve !== true) return []
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [invalid('spec.preserveUnknownFields', true, detail)]
}
