import { dry, named } from './builtin-objects.ts'
import { conformance, valueAt } from './suite.ts'

conformance('service-networks', ({ client, same, sameEach }) => {
  const addresses = dry('/apis/networking.k8s.io/v1/ipaddresses')
  const parentRef = { resource: 'services', namespace: 'default', name: 'a' }
  const address = (name: string) => named(name, { spec: { parentRef } })
  sameEach(
    [
      ['192.0.2.7', 201],
      ['2001:db8::7', 201],
      ['::1', 201],
      ['2001:DB8::7', 422],
      ['2001:db8:0:0::7', 422],
      ['192.0.2.07', 422],
      ['::ffff:192.0.2.7', 422],
      ['fe80::1%eth0', 422],
      ['192.0.2.0/24', 422],
      ['web', 422],
    ].map(
      ([name, code]) =>
        [`IPAddress ${name}`, code as number, 'POST', addresses, address(name as string)] as const,
    ),
  )
  same('the default ServiceCIDR exists and is ready', 200, async () => {
    const answer = await client.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes')
    return { ...answer, body: valueAt(answer, 'status.conditions') ?? null }
  })
})
