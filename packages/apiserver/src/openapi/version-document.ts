const required = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
]
const optional = [
  'emulationMajor',
  'emulationMinor',
  'minCompatibilityMajor',
  'minCompatibilityMinor',
]
const name = 'io.k8s.apimachinery.pkg.version.Info'
const schema = { $ref: `#/components/schemas/${name}` }

/** The OpenAPI v3 document of `/version`. */
export const versionDocument = {
  openapi: '3.0.0',
  info: { title: 'Kubernetes', version: '1.36' },
  paths: {
    '/version/': {
      get: {
        tags: ['version'],
        operationId: 'getCodeVersion',
        responses: {
          200: { description: 'OK', content: { 'application/json': { schema } } },
          401: { description: 'Unauthorized' },
        },
      },
    },
  },
  components: {
    schemas: {
      [name]: {
        type: 'object',
        required,
        properties: Object.fromEntries([
          ...required.map((field) => [field, { type: 'string', default: '' }]),
          ...optional.map((field) => [field, { type: 'string' }]),
        ]),
      },
    },
  },
}
