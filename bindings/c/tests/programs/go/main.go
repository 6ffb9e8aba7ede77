// The RFC's vectors through cgo: check VECTORS. Prints `N contexts, N messages, N exports`.
package main

/*
#include <pqseal.h>
#include <stdlib.h>
*/
import "C"

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// C's enums are uint32 here.
func check(status uint32) {
	if status != C.PQSEAL_OK {
		panic(C.GoString(C.pqseal_strerror(C.int32_t(status))))
	}
}

func data(text string) []byte {
	if text == "-" {
		return nil
	}
	found, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return found
}

func number(text string) int {
	found, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return found
}

// A pointer to bytes, and their length.
func slice(b []byte) (*C.uint8_t, C.size_t) {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(b))), C.size_t(len(b))
}

func setUp(field []string) *C.pqseal_recipient {
	var suite *C.pqseal_suite
	var private *C.pqseal_private_key
	var public *C.pqseal_public_key
	var recipient *C.pqseal_recipient
	check(C.pqseal_suite_new(C.uint16_t(number(field[2])), C.uint16_t(number(field[3])), C.uint16_t(number(field[4])), C.PQSEAL_POLICY_STANDARD, &suite))
	defer C.pqseal_suite_free(suite)
	key, length := slice(data(field[7]))
	check(C.pqseal_private_key_deserialize(suite, key, length, &private))
	defer C.pqseal_private_key_free(private)
	if field[10] != "-" {
		key, length = slice(data(field[10]))
		check(C.pqseal_public_key_deserialize(suite, key, length, &public))
	}
	defer C.pqseal_public_key_free(public)
	// A struct that C reads may not hold pointers to Go's memory.
	params := (*C.pqseal_params)(C.calloc(1, C.sizeof_pqseal_params))
	defer C.free(unsafe.Pointer(params))
	copied := func(text string, bytes **C.uint8_t, length *C.size_t) {
		found := data(text)
		if len(found) == 0 {
			return
		}
		*bytes, *length = (*C.uint8_t)(C.CBytes(found)), C.size_t(len(found))
	}
	copied(field[5], &params.info, &params.info_len)
	copied(field[11], &params.psk, &params.psk_len)
	copied(field[12], &params.psk_id, &params.psk_id_len)
	defer C.free(unsafe.Pointer(params.info))
	defer C.free(unsafe.Pointer(params.psk))
	defer C.free(unsafe.Pointer(params.psk_id))
	params.sender_public_key = public
	enc, length := slice(data(field[13]))
	check(C.pqseal_recipient_new(suite, private, params, enc, length, &recipient))
	return recipient
}

func message(recipient *C.pqseal_recipient, field []string) {
	aad, aadLen := slice(data(field[2]))
	ct, ctLen := slice(data(field[4]))
	out := make([]byte, ctLen)
	pt, ptLen := slice(out)
	check(C.pqseal_recipient_open(recipient, aad, aadLen, ct, ctLen, pt, ptLen, &ptLen))
	if !bytes.Equal(out[:ptLen], data(field[3])) {
		panic("another plaintext")
	}
}

func export(recipient *C.pqseal_recipient, field []string) {
	context, contextLen := slice(data(field[1]))
	value := data(field[3])
	out := make([]byte, len(value))
	bytesOut, length := slice(out)
	check(C.pqseal_recipient_export(recipient, context, contextLen, bytesOut, length))
	if !bytes.Equal(out, value) {
		panic("another value")
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	var recipient *C.pqseal_recipient
	var contexts, messages, exports int
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		field := strings.Fields(lines.Text())
		switch field[0] {
		case "S":
			C.pqseal_recipient_free(recipient)
			recipient = setUp(field)
			contexts++
		case "M":
			message(recipient, field)
			messages++
		case "E":
			export(recipient, field)
			exports++
		}
	}
	C.pqseal_recipient_free(recipient)
	fmt.Printf("%d contexts, %d messages, %d exports\n", contexts, messages, exports)
}
