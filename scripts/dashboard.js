// Builds the dashboard of deploy/grafana-dashboard.json from the table of its panels.
import { rows } from './dashboard-rows.js';

const [width, height, columns] = [12, 8, 24];

/** The dashboard in the format that Grafana imports. */
export function dashboard() {
  const panels = [];
  let y = 0;
  for (const { title, panels: own } of rows) {
    panels.push({
      type: 'row',
      title,
      id: panels.length + 1,
      collapsed: false,
      gridPos: { h: 1, w: columns, x: 0, y },
      panels: [],
    });
    y += 1;
    for (const [index, { title: name, unit, ask }] of own.entries()) {
      const gridPos = { h: height, w: width, x: (index % 2) * width, y: y + Math.floor(index / 2) * height };
      panels.push({
        type: 'timeseries',
        title: name,
        id: panels.length + 1,
        datasource: { type: 'prometheus', uid: '$datasource' },
        gridPos,
        fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
        options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
        targets: ask.map(([expr, legendFormat], at) => ({ refId: 'ABCDEF'[at], expr, legendFormat })),
      });
    }
    y += Math.ceil(own.length / 2) * height;
  }
  return {
    uid: 'vitrine',
    title: 'Vitrine',
    tags: ['vitrine'],
    timezone: 'browser',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        {
          name: 'instance',
          type: 'query',
          datasource: { type: 'prometheus', uid: '$datasource' },
          query: 'label_values(vitrine_info, instance)',
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: 'All', value: '$__all' },
          refresh: 2,
        },
      ],
    },
    panels,
  };
}
