// OTLP-JSON by a Collector's own reader and writer. One request per line:
//
//	{"make": N}       a batch of logs and a batch of spans, of all kinds of values
//	{"logs": LINE}    LINE after it was read and written
//	{"spans": LINE}   the same
//
// The answer has the same names, or "error".
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

type message struct {
	Make  *int   `json:"make,omitempty"`
	Logs  string `json:"logs,omitempty"`
	Spans string `json:"spans,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		answer, err := answered(lines.Bytes())
		if err != nil {
			answer = message{Error: err.Error()}
		}
		if err := answers.Encode(answer); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func answered(line []byte) (message, error) {
	var ask, answer message
	if err := json.Unmarshal(line, &ask); err != nil {
		return answer, err
	}
	logs, spans := plog.NewLogs(), ptrace.NewTraces()
	var err error
	if ask.Make != nil {
		makeLogs(*ask.Make, logs)
		makeSpans(*ask.Make, spans)
	}
	if ask.Logs != "" {
		if logs, err = (&plog.JSONUnmarshaler{}).UnmarshalLogs([]byte(ask.Logs)); err != nil {
			return answer, err
		}
	}
	if ask.Spans != "" {
		if spans, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(ask.Spans)); err != nil {
			return answer, err
		}
	}
	logLine, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	if err != nil {
		return answer, err
	}
	spanLine, err := (&ptrace.JSONMarshaler{}).MarshalTraces(spans)
	return message{Logs: string(logLine), Spans: string(spanLine)}, err
}

// fill puts a value of kind n into an attribute.
func fill(value pcommon.Value, n int) {
	switch n % 8 {
	case 0:
		value.SetStr("text \"quoted\" <é>\n\u2028")
	case 1:
		value.SetInt(int64(n) << 40)
	case 2:
		value.SetDouble(1e21)
	case 3:
		value.SetBool(true)
	case 4:
		value.SetEmptyBytes().FromRaw([]byte{0xff, 0, byte(n)})
	case 5:
		messages := value.SetEmptySlice()
		entry := messages.AppendEmpty().SetEmptyMap()
		entry.PutStr("role", "user")
		entry.PutEmptySlice("parts").AppendEmpty().SetEmptyMap().PutStr("content", "a secret")
	case 6:
		value.SetEmptyMap().PutStr("url.query", "q=secret")
	}
}

func attributes(attributes pcommon.Map, n int) {
	attributes.PutStr("service.name", "shop")
	for i, key := range []string{
		"gen_ai.input.messages", "http.request.header.cookie", "url.query", "other",
	} {
		fill(attributes.PutEmpty(key), n+i)
	}
}

func makeLogs(n int, logs plog.Logs) {
	resource := logs.ResourceLogs().AppendEmpty()
	attributes(resource.Resource().Attributes(), n)
	scope := resource.ScopeLogs().AppendEmpty()
	scope.Scope().SetName("scope")
	for i := range 3 {
		record := scope.LogRecords().AppendEmpty()
		record.SetTimestamp(pcommon.Timestamp(1769000000000000000 + n))
		record.SetTraceID([16]byte{1, 0xab, byte(n), byte(i)})
		record.SetEventName([]string{"gen_ai.choice", "", "other"}[i])
		fill(record.Body(), n+i)
		if i != 1 {
			attributes(record.Attributes(), n+i)
		}
	}
}

func makeSpans(n int, spans ptrace.Traces) {
	resource := spans.ResourceSpans().AppendEmpty()
	span := resource.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("GET")
	span.SetTraceID([16]byte{2, byte(n)})
	attributes(span.Attributes(), n)
	attributes(span.Events().AppendEmpty().Attributes(), n+1)
	attributes(span.Links().AppendEmpty().Attributes(), n+2)
}
