import type { ValueSchema } from './value-tree.ts'

const envName = { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }
const objectName = {
  type: 'string',
  maxLength: 253,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
}
const dataKey = { type: 'string', minLength: 1 }
const digest = { type: 'string', pattern: '^[a-f0-9]{64}$' }

function strict(required: readonly string[], properties: ValueSchema) {
  return {
    type: 'object',
    additionalProperties: false,
    required,
    properties,
  }
}

/** Shapes that several values share. */
export const schemaDefinitions: Readonly<Record<string, ValueSchema>> = {
  envVars: {
    type: ['object', 'null'],
    propertyNames: { pattern: envName.pattern },
    additionalProperties: { type: ['string', 'number', 'boolean'] },
  },
  envExtra: strict(['name'], {
    name: envName,
    value: { type: ['string', 'number', 'boolean'] },
    valueFrom: { type: 'object' },
  }),
  envSecret: strict(['name', 'secretName'], {
    name: envName,
    secretName: objectName,
    key: dataKey,
    optional: { type: 'boolean' },
  }),
  envConfig: strict(['name', 'configMapName'], {
    name: envName,
    configMapName: objectName,
    key: dataKey,
    optional: { type: 'boolean' },
  }),
  envFrom: {
    anyOf: [
      objectName,
      strict(['name'], {
        name: objectName,
        optional: { type: 'boolean' },
        prefix: { type: 'string' },
        keys: { type: 'array', items: { type: 'string' } },
      }),
    ],
  },
  // The templates check that a name is set and unique, because they see all entries.
  checksumEntry: {
    anyOf: [
      { type: 'string' },
      strict([], {
        name: { type: 'string' },
        checksum: { type: 'string' },
        keys: { type: 'array', items: dataKey },
        components: {
          type: 'array',
          items: { enum: ['controlPlane', 'controllers', 'gitTargetController'] },
        },
      }),
    ],
  },
  checksumValues: {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      secret: { type: 'object', additionalProperties: digest },
      configmap: { type: 'object', additionalProperties: digest },
    },
  },
}
