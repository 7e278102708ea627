import type { Schema } from '../../schema/schema.ts'
import { escapeProperty } from '../type/property-name.ts'
import { type SchemaType, schemaType, withObjectMeta } from '../type/schema-type.ts'
import { compileConverter } from '../value/schema-value.ts'
import type { Convert } from '../value/value.ts'
import { compileRulePrograms, type RuleProgram } from './rule-program.ts'

/** The part of a schema that has rules, prepared for evaluation. */
export interface RuleNode {
  readonly schema: Schema
  readonly programs: readonly RuleProgram[]
  /** Converts JSON to `self` and `oldSelf`. */
  readonly convert: Convert
  readonly usesOldSelf: boolean
  /** Whether the rules are on a value that expressions cannot access. */
  readonly untyped: boolean
  readonly allOf: readonly RuleNode[]
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly additional: RuleNode | undefined
  readonly items: RuleNode | undefined
}

/** Builds the tree; undefined if the schema and its subschemas have no rules. */
export function buildRuleTree(schema: Schema, resourceRoot: boolean): RuleNode | undefined {
  return build(schema, schema, resourceRoot, schemaType(schema, resourceRoot))
}

/** In allOf, the rules are taken from one schema (`rules`) and the types from the other. */
function build(
  rules: Schema,
  schema: Schema,
  resourceRoot: boolean,
  type: SchemaType | undefined,
): RuleNode | undefined {
  const own = rules['x-kubernetes-validations'] ?? []
  const programs =
    type === undefined || own.length === 0
      ? []
      : compileRulePrograms({ ...schema, 'x-kubernetes-validations': own }, type)
  const node: Omit<RuleNode, 'convert'> = {
    schema,
    programs,
    usesOldSelf: programs.some((program) => program.usesOldSelf),
    untyped: type === undefined && own.length > 0,
    allOf: present((rules.allOf ?? []).map((part) => build(part, schema, resourceRoot, type))),
    properties: buildProperties(rules, schema, type),
    additional: buildAdditional(rules, schema, type),
    items:
      rules.items === undefined || schema.items === undefined
        ? undefined
        : build(rules.items, schema.items, isEmbedded(schema.items), type?.element),
  }
  const empty =
    own.length === 0 &&
    node.allOf.length === 0 &&
    node.properties.size === 0 &&
    node.additional === undefined &&
    node.items === undefined
  if (empty) return undefined
  const valueSchema = resourceRoot ? withObjectMeta(schema) : schema
  return { ...node, convert: programs.length > 0 ? compileConverter(valueSchema) : () => null }
}

function buildProperties(
  rules: Schema,
  schema: Schema,
  type: SchemaType | undefined,
): Map<string, RuleNode> {
  const nodes = new Map<string, RuleNode>()
  for (const [name, ruleSchema] of Object.entries(rules.properties ?? {})) {
    const property = schema.properties?.[name]
    if (property === undefined) continue
    const escaped = escapeProperty(name)
    const fieldType =
      escaped === undefined
        ? schemaType(property, isEmbedded(property))
        : type?.fields?.get(escaped)
    if (fieldType === undefined) continue
    const node = build(ruleSchema, property, isEmbedded(property), fieldType)
    if (node !== undefined) nodes.set(name, node)
  }
  return nodes
}

function buildAdditional(
  rules: Schema,
  schema: Schema,
  type: SchemaType | undefined,
): RuleNode | undefined {
  const ruleSchema = rules.additionalProperties
  const valueSchema = schema.additionalProperties
  if (typeof ruleSchema !== 'object' || typeof valueSchema !== 'object') return undefined
  return build(ruleSchema, valueSchema, isEmbedded(valueSchema), type?.element)
}

function isEmbedded(schema: Schema): boolean {
  return schema['x-kubernetes-embedded-resource'] === true
}

function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined)
}
