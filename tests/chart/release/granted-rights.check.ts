import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chart, render, valuesFile } from '../../support/chart/render.ts'
import { beyond, grantedRights } from './rights/granted-rights.ts'
import { apart, api, artifacts } from './rights/measured-values.ts'
import { unseenRights } from './rights/unseen-rights.ts'

// What each account uses is compared with what it has in used-rights.full.ts.

test('no profile of the chart grants an account more than was compared with its requests', async () => {
  const withStore = { api, artifacts }
  const measured = grantedRights((await render({ ...apart, ...withStore })).objects)
  const single = grantedRights((await render(withStore)).objects)
  const names = readdirSync(join(chart, 'ci')).filter((name) => name.endsWith('-values.yaml'))
  expect(names.length).toBeGreaterThan(4)
  for (const name of names) {
    const { objects, errors } = await render(valuesFile(join('ci', name)))
    expect([name, errors]).toEqual([name, ''])
    const hasControllers = objects.some(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'agents-controllers',
    )
    const bound = hasControllers ? measured : new Map([...measured, ...single])
    expect([name, ...beyond(grantedRights(objects), bound)]).toEqual([name])
  }
})

test('each exempt permission is one that the chart grants', async () => {
  const rights = [...grantedRights((await render(apart)).objects).values()].flatMap((own) => [
    ...own,
  ])
  const idle = unseenRights.filter(({ right }) => !rights.some((one) => right.test(one)))
  expect(idle).toEqual([])
})
