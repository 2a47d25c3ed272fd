// SPDX-License-Identifier: Apache-2.0
/** Dashboards and rules of deploy/observability: what they name exists, and each alert says what to do. Ref: issue 49, point 6. */
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {parse} from 'yaml';
import {documentedMetrics, seriesLabels} from './documented.ts';
import {dashboards, FOLDER, type Panel, RULE_TESTS, rules, uses} from './files.ts';
import {readExpression} from './promql.ts';

/** The variable, as Grafana writes it. */
const DATA_SOURCE = `$${'{datasource}'}`;
/** Labels that Prometheus adds. */
const OF_TARGET = ['job', 'instance'];

/** Labels by name of a series, those of recording rules too. */
const known = (): ReadonlyMap<string, readonly string[]> => {
  const recorded = rules().flatMap(({record, expr}): [string, readonly string[]][] =>
    record === undefined ? [] : [[record, readExpression(expr).grouped.filter(label => label !== 'le')]],
  );
  return new Map([...seriesLabels(documentedMetrics()), ...recorded, ['up', []]]);
};

test('PromQL is read: metrics with the labels of their selectors, and those of groupings', () => {
  const text =
    'sum by (a, le) (rate(x_bucket{b=~"y|z\\"",c!="d"}[5m])) / on (a) group_left () n:x:rate5m > 2 and vector(0)';
  expect(readExpression(text)).toEqual({
    metrics: [
      {metric: 'x_bucket', labels: ['b', 'c']},
      {metric: 'n:x:rate5m', labels: []},
    ],
    grouped: ['a', 'le', 'a'],
  });
});

test('49-6 every metric and label that a rule or a dashboard names exists', () => {
  const series = known();
  const all = uses();
  expect(all.length).toBeGreaterThan(120);
  const faults = all.flatMap(({at, expr, shown}) => {
    const {metrics, grouped} = readExpression(expr);
    const unknown = metrics.filter(({metric}) => !series.has(metric)).map(({metric}) => `${at}: no metric ${metric}`);
    const compared = metrics.flatMap(({metric, labels}) =>
      labels
        .filter(label => ![...OF_TARGET, ...(series.get(metric) ?? [])].includes(label))
        .map(label => `${at}: ${metric} has no label ${label}`),
    );
    const has = new Set([...OF_TARGET, ...metrics.flatMap(({metric}) => series.get(metric) ?? [])]);
    const others = [...grouped, ...shown].filter(label => !has.has(label)).map(label => `${at}: no label ${label}`);
    return [...unknown, ...compared, ...others, ...(metrics.length === 0 ? [`${at}: names no metric`] : [])];
  });
  expect(faults).toEqual([]);
});

test('49-6 metrics that a kube-apiserver has too are read of the job palisade alone', () => {
  const faults = uses().flatMap(({at, expr}) =>
    readExpression(expr)
      .metrics.filter(
        ({metric, labels}) => !/palisade_|^up$/.test(metric) && !labels.includes('job') && !metric.includes(':'),
      )
      .map(({metric}) => `${at}: ${metric} without job="palisade"`),
  );
  expect(faults).toEqual([]);
});

type RuleTest = {readonly promql_expr_test?: readonly {readonly exp_samples: readonly {readonly labels: string}[]}[]};

describe('49-6 alerts', () => {
  const alerts = rules().filter(({alert}) => alert !== undefined);
  const runbook = readFileSync('docs/guides/alerts.md', 'utf8');

  test('have a severity, a summary, a description and a section of the guide', () => {
    const faults = alerts.flatMap(({alert = '', labels = {}, annotations = {}}) => {
      const missing = ['summary', 'description'].filter(key => !annotations[key]).map(key => `${alert}: no ${key}`);
      const isKnown = ['critical', 'warning', 'info'].includes(labels['severity'] ?? '');
      const isLinked = annotations['runbook_url'] === `docs/guides/alerts.md#${alert.toLowerCase()}`;
      return [...missing, ...(isKnown ? [] : [`${alert}: severity`]), ...(isLinked ? [] : [`${alert}: runbook_url`])];
    });
    expect(faults).toEqual([]);
    const sections = [...runbook.matchAll(/^### (\w+)\n\n`(\w+)`(?:, after (\w+)|, at once)\. \S.+\n\n- /gm)];
    expect(sections.map(([, name, severity, after]) => [name, severity, after])).toEqual(
      alerts.map(({alert, labels, for: after}) => [alert, labels?.['severity'], after]),
    );
  });

  test('are each tested with promtool', () => {
    const {tests} = parse(readFileSync(RULE_TESTS, 'utf8')) as {tests: RuleTest[]};
    const fired = tests
      .flatMap(({promql_expr_test: checks = []}) => checks.flatMap(({exp_samples: samples}) => samples))
      .map(({labels}) => /^\{alertname="(\w+)"\}$/.exec(labels)?.[1]);
    expect(new Set(fired)).toEqual(new Set(alerts.map(({alert}) => alert)));
  });
});

const overlaps = (a: Panel, b: Panel): boolean =>
  a.gridPos.x < b.gridPos.x + b.gridPos.w &&
  b.gridPos.x < a.gridPos.x + a.gridPos.w &&
  a.gridPos.y < b.gridPos.y + b.gridPos.h &&
  b.gridPos.y < a.gridPos.y + a.gridPos.h;

describe.each(dashboards())('49-6 dashboard $file', ({file, dashboard}) => {
  const {panels, templating} = dashboard;
  const shown = panels.filter(({type}) => type !== 'row');

  test('has an address, a version of Grafana 11, links and a variable for the data source', () => {
    expect(dashboard.uid).toBe(`palisade-${file.replace('.json', '')}`);
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
    expect(dashboard.description).toMatch(/\.$/);
    expect(dashboard.links.length).toBeGreaterThan(0);
    expect(templating.list[0]).toMatchObject({name: 'datasource', type: 'datasource'});
  });

  test('each panel has a description, a unit, the data source and queries; variables are defined', () => {
    const variables = new Set(templating.list.map(({name}) => name));
    const faults = shown.flatMap(({title, description = '', datasource, fieldConfig, targets = []}) => [
      ...(description.endsWith('.') ? [] : [`${title}: description`]),
      ...(fieldConfig?.defaults.unit ? [] : [`${title}: unit`]),
      ...(datasource?.uid === DATA_SOURCE ? [] : [`${title}: data source`]),
      ...(targets.length > 0 ? [] : [`${title}: no query`]),
      ...targets
        .flatMap(({expr}) => [...expr.matchAll(/\$(\w+)/g)].map(([, name = '']) => name))
        .filter(name => !variables.has(name) && !name.startsWith('__'))
        .map(name => `${title}: variable ${name}`),
    ]);
    expect(faults).toEqual([]);
  });

  test('panels have ids of their own and do not overlap', () => {
    expect(new Set(panels.map(({id}) => id)).size).toBe(panels.length);
    const pairs = panels.flatMap((a, i) =>
      panels
        .slice(i + 1)
        .filter(b => overlaps(a, b))
        .map(b => `${a.title}, ${b.title}`),
    );
    expect(pairs).toEqual([]);
    expect(panels.filter(({gridPos: {x, w}}) => x + w > 24)).toEqual([]);
  });
});

test('the job of prometheus.yaml uses TLS, a token and the rules', () => {
  const config = parse(readFileSync(`${FOLDER}/prometheus.yaml`, 'utf8'));
  expect(config.scrape_configs).toMatchObject([
    {
      job_name: 'palisade',
      scheme: 'https',
      authorization: {credentials_file: expect.any(String)},
      tls_config: {ca_file: expect.any(String)},
    },
  ]);
  expect(config.rule_files).toEqual([expect.stringMatching(/palisade\.rules\.yaml$/)]);
});
