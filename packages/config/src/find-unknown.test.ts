import { describe, expect, test } from 'vitest'
import { findUnknown } from './find-unknown.ts'
import { text } from './scalars.ts'

const doc = 'What it is for.'
const declaration = {
  controllers: { namespaces: text('APP_CONTROLLER_NAMESPACES', { doc }) },
  controlPlane: { port: text('APP_GRPC_PORT', { doc }) },
}

describe('unknown variables', () => {
  test.each([
    { because: 'a declared variable is known', name: 'APP_GRPC_PORT', found: [] },
    { because: 'a variable with another prefix is ignored', name: 'OTHER_GRPC_PROT', found: [] },
    {
      because: 'a typing error gets a suggestion',
      name: 'APP_GRPC_PROT',
      found: [{ env: 'APP_GRPC_PROT', suggestion: 'APP_GRPC_PORT' }],
    },
    {
      because: 'a singular gets its plural',
      name: 'APP_CONTROLLER_NAMESPACE',
      found: [{ env: 'APP_CONTROLLER_NAMESPACE', suggestion: 'APP_CONTROLLER_NAMESPACES' }],
    },
    {
      because: 'a name that is not similar to any gets no suggestion',
      name: 'APP_TELEMETRY_ENDPOINT',
      found: [{ env: 'APP_TELEMETRY_ENDPOINT' }],
    },
    { because: 'Kubernetes sets service hosts', name: 'APP_WEB_SERVICE_HOST', found: [] },
    { because: 'Kubernetes sets service ports', name: 'APP_WEB_PORT_80_TCP_ADDR', found: [] },
  ])('$because', ({ name, found }) => {
    expect(findUnknown(declaration, { [name]: 'x' }, 'APP_')).toEqual(found)
  })
})
