import { agentRun } from '@agents/jangar-api'
import { type KubeObject, kindRef } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings } from './axe.ts'
import { type SharedBed, useConsoleBed } from './shared-bed.ts'

let bed: SharedBed

beforeAll(async () => {
  bed = await useConsoleBed()
  await bed.admin.create(kindRef<KubeObject>(agentRun), {
    ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
    metadata: { name: 'labelled', namespace: 'agents', labels: { team: 'core' } },
    spec: {
      agentRef: { name: 'scripted' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as KubeObject)
})
afterAll(() => bed?.stop())

test('the columns of the list are chosen by keyboard, and stay', async () => {
  const page = await bed.signIn(undefined, '/runs')
  const heads = () => page.getByRole('columnheader').allInnerTexts()
  const row = page.getByRole('row').filter({ hasText: 'labelled' })
  await row.waitFor()
  const usual = ['Selected', 'Phase', 'Name', 'Runs', 'Namespace', 'Created', 'Took', 'Why']
  expect(await heads()).toEqual(usual)
  await page.getByText('Columns', { exact: true }).focus()
  await page.keyboard.press('Enter')
  const choice = page.getByRole('group', { name: 'Columns of the list' })
  await choice.getByRole('checkbox', { name: 'Labels' }).focus()
  await page.keyboard.press('Space')
  await choice.getByRole('checkbox', { name: 'Namespace' }).focus()
  await page.keyboard.press('Space')
  expect(await axeFindings(page, bed.axePath)).toEqual([])
  await page.keyboard.press('Escape')
  await expect.poll(() => choice.isVisible()).toBe(false)
  const wanted = ['Selected', 'Phase', 'Name', 'Runs', 'Labels', 'Created', 'Took', 'Why']
  expect(await heads()).toEqual(wanted)
  await row.getByText('team=core').waitFor()
  // The cells of a row stay below the names of their columns.
  const lefts = (selector: string) =>
    page.evaluate(
      `[...document.querySelector('${selector}').children].map((each) => each.getBoundingClientRect().left)`,
    )
  expect(await lefts('.list-body .run-row')).toEqual(await lefts('.list-head .run-row'))
  await page.reload()
  await row.getByText('team=core').waitFor()
  expect(await heads()).toEqual(wanted)
  await page.getByText('Columns', { exact: true }).click()
  await page.getByRole('button', { name: 'As at first' }).click()
  expect(await heads()).toEqual(usual)
  expect(page.complaints).toEqual([])
})
