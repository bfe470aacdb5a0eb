/** Dashboard files for tests. */

/** A dashboard around cards, which are YAML indented by two spaces. */
export function dashboardOf(cards: string, variables = '[]'): string {
  return `version: 1\nid: test\ntitle: Test\nvariables: ${variables}\nsections:\n- cards:\n${cards}\n`;
}

/** Every kind of variable, and several kinds of cards. */
export const SAMPLE = `version: 1
id: sample
title: Sample
order: 2
refresh: 5m
timezone: Europe/Berlin
variables:
  - {name: time, kind: range, default: last 30d, presets: [last 7d, last 30d, {value: this month, label: Month}]}
  - name: country
    kind: select
    any: All countries
    query: '* | count by _country | top 20'
    fragment: where _country = {{value}}
  - name: bucket
    kind: select
    options: [{value: day, fragment: by day}, {value: week, fragment: by week}]
  - {name: least, kind: input, type: number, default: 10, min: 0, max: 1000}
  - {name: email, kind: input, check: email, default: '', optional: true, fragment: 'where user.email = {{value}}'}
sections:
  - title: Now
    cards:
      - id: active
        kind: metric
        query: '* | {{time}} | {{country}} | {{email}} | unique distinct_id'
        layout: {w: 3, h: 2}
      - kind: chart
        viz: area
        query: |
          signup | {{time}}
          | count {{bucket}}
        options: {goal: {value: 100, label: Plan}}
      - id: conversion
        kind: metric
        queries:
          paid: purchase | {{time}} | where event_properties.amount > {{least}} | unique distinct_id
          all: '* | {{time}} | unique distinct_id'
        options: {ratio: {part: paid, whole: all}, format: percent, compare: false}
      - {kind: markdown, text: Hello}
`;
