import { beforeAll } from 'vitest'
import { builtinsIn, dry, named } from './builtin-objects.ts'
import { conformance } from './suite.ts'
import { fullWidgetDefinition, serve, widgetsOf } from './widget.ts'

conformance('created-versions', (suite) => {
  const { client, namespace, group, sameEach } = suite
  const { path, widget } = widgetsOf(suite)
  const maps = builtinsIn(namespace).core('configmaps')
  beforeAll(() => serve(client, fullWidgetDefinition(group)))

  for (const resourceVersion of ['5', '0', 'odd', '-1', '01', '99999999999999999999']) {
    const title = `with resourceVersion ${resourceVersion}`
    const name = `r${resourceVersion}`
    const map = named(name, { metadata: { name, resourceVersion } })
    const custom = widget(name, {}, { resourceVersion })
    const code = ['5', '01'].includes(resourceVersion) ? 500 : 201
    sameEach([
      [`a config map ${title}, dry`, 201, 'POST', dry(maps), map],
      [`a config map ${title}`, code, 'POST', maps, map],
      [`a widget ${title}, dry`, 201, 'POST', dry(path), custom],
      [`a widget ${title}`, code, 'POST', path, custom],
    ])
  }
})
