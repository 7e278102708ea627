import { expect, test } from 'vitest'
import { withDescription } from './description-route.ts'

test('all answers share the bytes of the description', async () => {
  const [route] = withDescription([], '1.2.3')
  if (route?.access !== 'public') throw new Error('the description is not public')
  const handle = route.handle as unknown as () => { readonly bytes: Buffer }
  expect(JSON.parse(String(handle().bytes)).info.version).toBe('1.2.3')
  expect(handle().bytes).toBe(handle().bytes)
})
